package render

import "github.com/multiscraper/multiscraper/scraperutils"

// Ask is a request for a document.
type Ask struct {
	URL       string            `json:"url"`
	UserAgent string            `json:"userAgent,omitempty"`
	Header    map[string]string `json:"header,omitempty"` // of the page's own request
}

// Document is a page after its scripts.
type Document struct {
	URL    string              `json:"url"` // after redirects, and after scripts have changed it
	Status int                 `json:"status"`
	Header map[string][]string `json:"header"`
	HTML   string              `json:"html"`
}

// Error says why there is no document.
type Error struct {
	Reason string             `json:"reason"`
	Kind   scraperutils.Class `json:"class"`
}

func (e *Error) Error() string { return e.Reason }

// Class returns the class of the failure in the browser.
func (e *Error) Class() scraperutils.Class { return e.Kind }

// version is what a program says at once that speaks this protocol.
const version = "multiscraper render 1"

// line is what goes over a pipe: version first; then to the program ID with Ask, or with nothing more to give up; and back ID with one of the others.
type line struct {
	Version  string    `json:"version,omitempty"`
	ID       int       `json:"id,omitempty"`
	Ask      *Ask      `json:"ask,omitempty"`
	Document *Document `json:"document,omitempty"`
	Error    *Error    `json:"error,omitempty"`
}
