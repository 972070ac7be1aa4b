package fetch

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// What is sent at most, in bytes.
const (
	maxForm = 12 << 20 // of a request's body
	maxURL  = 16 << 10 // servers take less
)

// Check returns an error for a request that no server accepts. Links and fields in pages can have any size.
func Check(r *scraperutils.Request) error {
	if r.URL.Hostname() == "" { // a link or a redirect may lead nowhere
		return fmt.Errorf("%s: the address names no host", r)
	}
	if len(r.Body) > maxForm {
		return &scraperutils.TooLargeError{What: "the form", Limit: maxForm >> 20, Unit: "MiB"}
	}
	return checkURL(r.URL.Path, r.URL.RawQuery)
}

func checkURL(parts ...string) error {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	if n > maxURL {
		return &scraperutils.TooLargeError{What: "the address", Limit: maxURL >> 10, Unit: "KiB"}
	}
	return nil
}

// ParseURL reads a URL as browsers do: it percent-encodes invalid characters instead of refusing them. Its errors do not repeat user
// information.
func ParseURL(raw string) (*url.URL, error) {
	raw = scraperutils.Trim(raw)
	if err := checkURL(raw); err != nil {
		return nil, err
	}
	var b strings.Builder
	path := len(raw)
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		path = i
	}
	for i := range len(raw) {
		switch c := raw[i]; {
		case c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>`, c) >= 0, c == '%' && !escaped(raw[i:]):
			fmt.Fprintf(&b, "%%%02X", c)
		case c == '\\' && i < path:
			b.WriteByte('/')
		default:
			b.WriteByte(c)
		}
	}
	u, err := url.Parse(b.String())
	switch {
	case err == nil:
		return u, nil
	case strings.Contains(raw, "@"): // the error may repeat a password
		return nil, errors.New("it is no URL")
	}
	return nil, withoutURL(err)
}

func escaped(s string) bool {
	isHex := func(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
	return len(s) >= 3 && isHex(s[1]) && isHex(s[2])
}
