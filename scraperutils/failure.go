package scraperutils

// PastFailure is a failure that was recorded and happens again in a replay: the error as it was, whole, so that nothing needs to be
// added to it.
type PastFailure struct {
	Kind Class
	Text string
}

func (e *PastFailure) Error() string { return e.Text }

// Class is the failure's.
func (e *PastFailure) Class() Class { return e.Kind }
