package urls

import (
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// DefaultMaxLength is the length of the longest accepted URL, in bytes. RFC 9110 asks servers for at least this much.
const DefaultMaxLength = 8000

// Form is the canonical form of URLs. The zero value is the usual one. Its methods may be called from any goroutine.
type Form struct {
	// SessionIDs are the names of parameters that are left out. A name matches a whole parameter name, in any case; a name that ends in *
	// matches all names with that beginning. Nil is DefaultSessionIDs; an empty slice matches none.
	SessionIDs []string

	// KeepOrder leaves the parameters of the query in their original order.
	KeepOrder bool

	// MaxLength is the length of the longest accepted URL, in bytes, without its fragment; 0 is DefaultMaxLength.
	MaxLength int
}

// URL is a URL in canonical form. URLs are comparable. The zero value is no URL.
type URL struct {
	text string
}

// String returns the URL as text.
func (u URL) String() string { return u.text }

// Host returns the host that politeness applies to.
func (u URL) Host() scraperutils.Host {
	scheme, rest, _ := strings.Cut(u.text, "://")
	authority := rest[:max(strings.IndexByte(rest, '/'), 0)]
	h := scraperutils.Host{Name: authority, Port: ownPort(scheme)}
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		h.Name, h.Port = authority[:colon], authority[colon+1:]
	}
	h.Name = strings.TrimSuffix(strings.TrimPrefix(h.Name, "["), "]")
	return h
}

// origin is the URL without its path.
func (u URL) origin() string { return u.text[:len(u.text)-len(u.PathQuery())] }

// PathQuery returns the path, followed by a question mark and the query if there is one.
func (u URL) PathQuery() string {
	_, rest, _ := strings.Cut(u.text, "://")
	return rest[max(strings.IndexByte(rest, '/'), 0):]
}

// Path returns the path, with its escapes.
func (u URL) Path() string {
	path, _, _ := strings.Cut(u.PathQuery(), "?")
	return path
}

// Query returns the query, with its escapes and without the question mark.
func (u URL) Query() string {
	_, query, _ := strings.Cut(u.text, "?")
	return query
}

// Parse returns the canonical form of an absolute URL. Its errors are of type *RefusedError.
func (f Form) Parse(raw string) (URL, error) {
	text, err := f.trimmed(raw)
	if err != nil {
		return URL{}, err
	}
	p, ok := splitAbsolute(text)
	if !ok {
		if p, err = parse(URL{}, text); err != nil {
			return URL{}, refuse(text, err)
		}
	}
	return f.write(text, p)
}

// Resolve returns the canonical form of a link on a page with the URL base. Its errors are of type *RefusedError.
func (f Form) Resolve(base URL, link string) (URL, error) {
	text, err := f.trimmed(link)
	if err != nil {
		return URL{}, err
	}
	if base == (URL{}) {
		return f.Parse(link)
	}
	p, ok := splitLink(base, text)
	if !ok {
		if p, err = parse(base, text); err != nil {
			return URL{}, refuse(text, err)
		}
	}
	return f.write(text, p)
}

// trimmed is a text without what is no part of a URL: white space around it, line breaks in it, its fragment. A text that names
// another scheme is refused.
func (f Form) trimmed(raw string) (string, error) {
	text := strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	text, _, _ = strings.Cut(text, "#")
	if strings.ContainsAny(text, "\t\n\r") {
		text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	}
	if scheme := schemeOf(text); scheme != "" && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return "", &RefusedError{excerpt(text), OtherScheme, "it must begin with http:// or https://"}
	}
	if len(text) > f.maxLength() {
		return "", f.tooLong(text)
	}
	return text, nil
}

func (f Form) maxLength() int {
	if f.MaxLength <= 0 {
		return DefaultMaxLength
	}
	return f.MaxLength
}

// write writes parts in canonical form. Where that is how they were written, the text stays what it was, and nothing is allocated.
func (f Form) write(text string, p parts) (URL, error) {
	var space [512]byte
	b := append(space[:0], p.scheme...)
	b = append(b, "://"...)
	for i := range len(p.host) {
		b = append(b, lower(p.host[i]))
	}
	if p.port != "" && p.port != ownPort(p.scheme) {
		b = append(b, ':')
		b = append(b, p.port...)
	}
	b = f.appendPath(b, p.dir, p.path)
	if p.query != "" {
		b = f.appendQuery(b, p.query)
	}
	switch {
	case len(b) > f.maxLength():
		return URL{}, f.tooLong(text)
	case string(b) == text:
		return URL{text}, nil
	}
	return URL{string(b)}, nil
}
