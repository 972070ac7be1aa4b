package urls

import (
	"bytes"
	"slices"
	"strings"
)

const hexDigits = "0123456789ABCDEF"

// What may stand in a URI without an escape (RFC 3986), and has it nowhere, stays, or stays as it is.
var (
	unreserved = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
	inPath     = with(unreserved, "/:@!$&'()*+,;=[]") // brackets, for net/http leaves them too
	inQuery    = with(unreserved, "/?:@!$&()*+,;=[]") // no apostrophe: the standard escapes it
)

func set(characters string) *[256]bool { return with(new([256]bool), characters) }

func with(s *[256]bool, characters string) *[256]bool {
	more := *s
	for _, c := range []byte(characters) {
		more[c] = true
	}
	return &more
}

// appendEscaped appends what has an escape exactly where it needs one. A percent sign that begins no escape is escaped itself.
func appendEscaped(b []byte, s string, keep *[256]bool) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if keep[c] {
			b = append(b, c)
			continue
		}
		if c == '%' && i+2 < len(s) {
			if high, low := hexValue(s[i+1]), hexValue(s[i+2]); high >= 0 && low >= 0 {
				i += 2
				c = byte(high<<4 | low)
				if unreserved[c] {
					b = append(b, c)
					continue
				}
			}
		}
		b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
	}
	return b
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// appendPath appends a path that is relative to a directory, or absolute.
func (f Form) appendPath(b []byte, dir, path string) []byte {
	at := len(b)
	b = appendEscaped(b, dir, inPath)
	b = appendEscaped(b, path, inPath)
	if written := b[at:]; bytes.Contains(written, []byte("/.")) {
		b = append(b[:at], resolved(written)...)
	}
	if written := b[at:]; bytes.IndexByte(written, ';') >= 0 {
		b = append(b[:at], f.withoutSessions(written)...)
	}
	return b
}

// resolved resolves dot segments in place.
func resolved(path []byte) []byte {
	out := path[:0] // never ahead of what is read
	for len(path) > 0 {
		segment, rest := path[1:], []byte(nil)
		if slash := bytes.IndexByte(segment, '/'); slash >= 0 {
			segment, rest = segment[:slash], segment[slash:]
		}
		switch {
		case string(segment) == "..":
			out = out[:max(bytes.LastIndexByte(out, '/'), 0)]
		case string(segment) != ".":
			out = append(append(out, '/'), segment...)
			path = rest
			continue
		}
		if len(rest) == 0 {
			out = append(out, '/')
		}
		path = rest
	}
	return out
}

// withoutSessions drops, in place, what follows a semicolon and names a session. What follows two dots stays, for it is all that keeps
// them from being a dot segment.
func (f Form) withoutSessions(path []byte) []byte {
	out := path[:0] // never ahead of what is read
	for slash := true; slash; {
		var segment []byte
		segment, path, slash = bytes.Cut(path, []byte("/"))
		name, parameters, found := bytes.Cut(segment, []byte(";"))
		dots := string(name) == "." || string(name) == ".."
		out = append(out, name...)
		for found {
			var parameter []byte
			parameter, parameters, found = bytes.Cut(parameters, []byte(";"))
			if dots || !f.isSession(parameter) {
				out = append(append(out, ';'), parameter...)
			}
		}
		if slash {
			out = append(out, '/')
		}
	}
	return out
}

// appendQuery appends a question mark and a query, or nothing where nothing is left of it.
func (f Form) appendQuery(b []byte, query string) []byte {
	at := len(b)
	b = appendEscaped(append(b, '?'), query, inQuery)
	if f.tidy(b[at+1:]) {
		return b
	}
	parameters := strings.FieldsFunc(string(b[at+1:]), func(r rune) bool { return r == '&' })
	parameters = slices.DeleteFunc(parameters, func(p string) bool { return f.isSession([]byte(p)) })
	if !f.KeepOrder {
		slices.SortStableFunc(parameters, func(p, q string) int { return strings.Compare(nameOf(p), nameOf(q)) })
	}
	b = b[:at]
	for i, p := range parameters {
		b = append(b, "?&"[min(i, 1)])
		b = append(b, p...)
	}
	return b
}

// tidy reports whether a query is in canonical form as far as its parameters go.
func (f Form) tidy(query []byte) bool {
	var before []byte
	for more := true; more; {
		var parameter []byte
		parameter, query, more = bytes.Cut(query, []byte("&"))
		name, _, _ := bytes.Cut(parameter, []byte("="))
		if len(parameter) == 0 || f.isSession(parameter) || !f.KeepOrder && bytes.Compare(before, name) > 0 {
			return false
		}
		before = name
	}
	return true
}

func nameOf(parameter string) string {
	name, _, _ := strings.Cut(parameter, "=")
	return name
}
