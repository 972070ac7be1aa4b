package umbra

import "context"

// Browser opens pages. Any number of goroutines may call it.
type Browser interface {
	// Browse opens a page and stays until it is done, and returns the links of the final page. If ctx ends first, it returns the cause. A
	// *FinalError says that the page will never be done.
	//
	// Browse calls p.Begin before it makes any request to the page's host, and returns the error of p.Begin if there is one.
	Browse(ctx context.Context, p Page) (outlinks []string, err error)
}

// Page is a page for a Browser to open.
type Page struct {
	URL        string
	UserAgent  string // "": the browser's own
	Username   string
	Password   string
	Parameters map[string]any // replace those of the matching behavior; nil: its own
	Outlinks   bool           // return the links of the final page

	Begin     func() error
	OnRequest func(Request) // called with each request as soon as it is completely known, by one goroutine at a time
}

// Request is a request that a page made.
type Request struct {
	URL     string
	Method  string
	Headers map[string]string
	Body    []byte // nil: none
}

// FinalError is a failure of a page that another try does not fix.
type FinalError struct{ Err error }

func (e *FinalError) Error() string { return e.Err.Error() }
func (e *FinalError) Unwrap() error { return e.Err }
