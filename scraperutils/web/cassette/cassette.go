package cassette

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Cassette is a recording. It may be read by several goroutines at once.
type Cassette struct {
	Path         string // the file it was loaded from, for error messages; "" where it was not
	Interactions []Interaction
	Failures     []Failure // in order
	Truncated    bool      // the recorder was full: bodies or whole interactions are missing
	Missing      int       // how many interactions are
}

// Interaction is one request and its response.
type Interaction struct {
	Request    Request
	Response   Response
	RecordedAt time.Time // to the second; zero where the file does not tell
	Superseded bool      // the same request was sent again, or came to nothing: this answer stands for itself and is not played
}

// Failure is a request that had no answer, or none that could be read to its end, in all its tries.
type Failure struct {
	Request Request // its method and URL
	Class   scraperutils.Class
	Message string
	After   int       // how many interactions came before it
	At      time.Time // to the second; zero where the file does not tell
}

// check tells what keeps a failure from being played, or nil.
func (f *Failure) check(interactions int) error {
	if f.Request.Method == "" {
		return errors.New("method is missing; expected a method such as get")
	}
	if f.After < 0 || f.After > interactions {
		return fmt.Errorf("after is %d; expected a number of interactions, 0 to %d", f.After, interactions)
	}
	_, err := parseURL(f.Request.URL)
	return err
}

// Request is what was asked.
type Request struct {
	Method string // upper case
	URL    string // absolute, as recorded
	Header http.Header
	Body   Body
}

// Response is what was answered.
type Response struct {
	Status  int
	Message string // such as OK
	Header  http.Header
	Body    Body
}

// noStatus is that of an interaction whose file does not tell. Servers answer 000 and 099 too.
const noStatus = -1

// check tells what keeps an interaction from being played, or nil.
func (i *Interaction) check() error {
	if i.Request.Method == "" {
		return errors.New("request.method is missing; expected a method such as get")
	}
	if _, err := parseURL(i.Request.URL); err != nil {
		return err
	}
	if i.Response.Status == noStatus {
		return errors.New("response.status.code is missing; expected a number such as 200")
	}
	if i.Response.Status < 0 || i.Response.Status > 999 {
		return fmt.Errorf("response.status.code is %d; expected a number from 0 to 999", i.Response.Status)
	}
	return nil
}

// parseURL reads a recorded URL. A percent sign that escapes nothing stands for itself in the path: some sites have such
// links, and other clients request them as they are.
func parseURL(raw string) (*url.URL, error) {
	if raw == "" {
		return nil, errors.New("request.uri is missing; expected an absolute URL such as https://host/path")
	}
	u, err := url.Parse(raw)
	if err != nil {
		u, err = url.Parse(escapeStrayPercents(raw))
	}
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("request.uri is %q; expected an absolute URL such as https://host/path", withoutUserinfo(raw))
	}
	return u, nil
}

func escapeStrayPercents(raw string) string {
	path, query, asked := strings.Cut(raw, "?")
	var b strings.Builder
	for i := range len(path) {
		b.WriteByte(path[i])
		if path[i] == '%' && (i+2 >= len(path) || !isHex(path[i+1]) || !isHex(path[i+2])) {
			b.WriteString("25")
		}
	}
	if asked {
		b.WriteString("?" + query)
	}
	return b.String()
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }
