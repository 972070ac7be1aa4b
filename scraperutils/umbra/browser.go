package umbra

import "context"

// Browser opens pages. It is called by any number of goroutines.
type Browser interface {
	// Browse opens a page and stays until it is done, or ctx ends, whose cause it returns then. It returns the links of the final page. An
	// error that is a *FinalError says that the page will never be done.
	//
	// Before it asks the page's host for anything it calls p.Begin, and returns its error where there is one.
	Browse(ctx context.Context, p Page) (outlinks []string, err error)
}

// Page is what a Browser is to open.
type Page struct {
	URL        string
	UserAgent  string // "": the browser's own
	Username   string
	Password   string
	Parameters map[string]any // of the behavior that matches; nil: its own
	Outlinks   bool           // the links of the final page are wanted

	Begin     func() error
	OnRequest func(Request) // is told of each request as soon as it is known whole, by one goroutine at a time
}

// Request is one that a page made.
type Request struct {
	URL     string
	Method  string
	Headers map[string]string
	Body    []byte // nil: none
}

// FinalError is a failure of a page that another try does not mend.
type FinalError struct{ Err error }

func (e *FinalError) Error() string { return e.Err.Error() }
func (e *FinalError) Unwrap() error { return e.Err }
