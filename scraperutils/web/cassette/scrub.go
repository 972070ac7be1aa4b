package cassette

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/secret"
)

const (
	redacted      = "<REDACTED>"
	redactedInURL = "%3CREDACTED%3E" // where bare brackets would make a URL unreadable

	// What a compressed body holds beyond this is not searched for secrets, and so not written. No agent reads as much.
	mostDecoded = 21 << 20
)

// withoutUserinfo hides user and password of every URL in a line of text.
func withoutUserinfo(s string) string { return scraperutils.ReplaceUser(s, redactedInURL+"@") }

// User information in a page, where URLs stand among other things: without quotation marks and brackets.
var (
	userInPage      = regexp.MustCompile(`(:(?:\\?/){2})[^/?#\s"'<>()\\,;@]*@`)
	userInPageQuery = regexp.MustCompile(`(?i)(%3a%2f%2f)[^/?#\s"'<>()&,;%]*(%3a[^/?#\s"'<>()&,;]*?)?%40`)
)

// scrubber takes secrets out of what is written. It is immutable.
type scrubber struct {
	secrets *secret.Set
}

func newScrubber(secrets []string) scrubber { return scrubber{secret.New(secrets...)} }

// usersOf returns the secrets in the URLs that a recording asks for.
func (c *Cassette) usersOf() (all []string) {
	for i := range c.Interactions {
		all = withUserOf(all, c.Interactions[i].Request.URL)
	}
	for _, f := range c.Failures {
		all = withUserOf(all, f.Request.URL)
	}
	return all
}

// withUserOf adds the secrets in a URL, where they are not there yet.
func withUserOf(all []string, raw string) []string {
	if !strings.Contains(raw, "@") {
		return all
	}
	u, err := url.Parse(raw)
	if err != nil || u.User.Username() == redacted {
		return all
	}
	for _, s := range secret.User(u.User) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func (s scrubber) text(v string) string { return s.secrets.Hide(v, redacted) }

// page takes secrets out of a text with URLs among other things.
func (s scrubber) page(text string) string {
	if strings.Contains(text, "@") {
		text = userInPage.ReplaceAllString(text, "${1}"+redactedInURL+"@")
	}
	if strings.Contains(text, "%40") {
		text = userInPageQuery.ReplaceAllString(text, "${1}"+redactedInURL+"%40")
	}
	return s.text(text)
}

// url leaves scheme, host and port alone: they decide what is played, and everyone on the way sees them.
func (s scrubber) url(raw string) string {
	raw = withoutUserinfo(raw)
	scheme := strings.Index(raw, "://") + len("://")
	i := strings.IndexAny(raw[scheme:], "/?#")
	if i < 0 {
		return raw
	}
	return raw[:scheme+i] + s.text(raw[scheme+i:])
}

func (s scrubber) requestHeader(h http.Header) http.Header {
	return s.header(h, func(name, v string) string {
		switch http.CanonicalHeaderKey(name) {
		case "Authorization", "Proxy-Authorization", "Cookie":
			return redacted
		}
		return v
	})
}

func (s scrubber) responseHeader(h http.Header) http.Header {
	return s.header(h, func(name, v string) string {
		if http.CanonicalHeaderKey(name) == "Set-Cookie" {
			return withoutCookieValue(v)
		}
		return v
	})
}

func (s scrubber) header(h http.Header, of func(name, v string) string) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		for _, v := range values {
			out[name] = append(out[name], s.text(withoutUserinfo(of(name, v))))
		}
	}
	return out
}

// withoutCookieValue keeps a cookie's name and attributes, and that it is emptied.
func withoutCookieValue(cookie string) string {
	pair, attributes, more := strings.Cut(cookie, ";")
	name, value, named := strings.Cut(pair, "=")
	switch {
	case !named:
		pair = redacted
	case strings.TrimSpace(value) != "":
		pair = name + "=" + redacted
	}
	if more {
		return pair + ";" + attributes
	}
	return pair
}

// body takes secrets out of a body, which may be compressed: by gzip, as it shows itself, or in the other way that is asked for.
func (s scrubber) body(b []byte, contentEncoding string) []byte {
	switch {
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		open := func() (io.Reader, error) { return gzip.NewReader(bytes.NewReader(b)) }
		return s.compressed(b, open, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	case strings.EqualFold(contentEncoding, "deflate"):
		open := func() (io.Reader, error) {
			if in, err := zlib.NewReader(bytes.NewReader(b)); err == nil {
				return in, nil
			}
			return flate.NewReader(bytes.NewReader(b)), nil // without the wrapping, as some servers have it
		}
		return s.compressed(b, open, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	}
	return s.plain(b)
}

func (s scrubber) plain(b []byte) []byte {
	text := string(b)
	clean := s.page(text)
	if clean == text {
		return b
	}
	return []byte(clean)
}

// compressed returns the body as it is where there is no secret inside, as far as it can be decompressed.
func (s scrubber) compressed(b []byte, open func() (io.Reader, error), compress func(io.Writer) io.WriteCloser) []byte {
	in, err := open()
	if err != nil {
		return s.plain(b)
	}
	size, clean := s.search(in, min(seamSize+16*len(b), pieceSize))
	switch {
	case size == 0:
		return s.plain(b)
	case clean && size <= mostDecoded:
		return b
	}
	if in, err = open(); err != nil {
		return nil // it could be opened before
	}
	in = io.LimitReader(in, mostDecoded)
	var out bytes.Buffer
	w := compress(&out) // to memory: it does not fail
	if clean {
		_, _ = io.Copy(w, in)
	} else {
		inside, _ := io.ReadAll(in)
		_, _ = io.WriteString(w, s.page(string(inside)))
	}
	_ = w.Close()
	return out.Bytes()
}

// Pieces in which a compressed body is searched, in bytes: a few bytes may hold megabytes.
const (
	pieceSize = 1 << 20  // at most
	seamSize  = 16 << 10 // of a piece, that the next one begins with: no secret is longer
)

// search reports whether a body has nothing to hide, and how much it holds, as far as one looks: in pieces of a size.
func (s scrubber) search(in io.Reader, pieces int) (size int, clean bool) {
	in = io.LimitReader(in, mostDecoded+1)
	piece, seam := make([]byte, pieces), 0
	for clean = true; ; {
		n, err := io.ReadFull(in, piece[seam:])
		size += n
		text := string(piece[:seam+n])
		clean = clean && s.page(text) == text
		if err != nil {
			return size, clean
		}
		seam = copy(piece, piece[pieces-seamSize:])
	}
}
