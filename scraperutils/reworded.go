package scraperutils

// Reworded is an error with another text, because its own may not be shown.
type Reworded struct {
	Err  error
	Text string
}

// Reword returns an error with a text of its own, or the error itself where it has that text already.
func Reword(err error, reword func(string) string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if other := reword(text); other != text {
		return &Reworded{Err: err, Text: other}
	}
	return err
}

func (e *Reworded) Error() string { return e.Text }

func (e *Reworded) Unwrap() error { return e.Err }
