package urls

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// parts are a URL taken apart, on their way to the canonical form.
type parts struct {
	scheme string // http or https
	host   string // ASCII
	port   string // "": the scheme's own
	dir    string // what a relative path is resolved against, with a slash at its end; "" before an absolute path
	path   string
	query  string // without the question mark
}

func ownPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// parse takes any URL apart as the WHATWG standard says. It is right and slow: some 10 µs.
func parse(base URL, text string) (parts, error) {
	if !utf8.ValidString(text) {
		text = escapedInvalid(text)
	}
	u, err := whatwg.ParseRef(base.text, text+"#") // an empty fragment, so that a space before it is no end of the text
	switch {
	case err != nil:
		return parts{}, err
	case u.Username() != "" || u.Password() != "":
		return parts{}, &RefusedError{Reason: UserInfo, Detail: "a user or a password in a URL would be stored and shown"}
	case !fetchable(u.Hostname()):
		return parts{}, badHost
	}
	return parts{scheme: u.Scheme(), host: u.Hostname(), port: u.Port(), path: u.Pathname(), query: u.Query()}, nil
}

// badHost is that of a host that is not fetchable.
var badHost = &RefusedError{Reason: NotURL, Detail: "its host is no name and no address"}

// fetchable reports whether a host can be asked: the standard allows characters that no name has, and net/http refuses.
func fetchable(host string) bool {
	return strings.HasPrefix(host, "[") || !strings.ContainsFunc(host, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-._", r)
	})
}

// escapedInvalid escapes bytes that are not UTF-8, for the standard would have them all be the same character.
func escapedInvalid(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			b.Write([]byte{'%', hexDigits[text[0]>>4], hexDigits[text[0]&15]})
		} else {
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// splitAbsolute takes a plain absolute URL apart, which most are: as parse does, in a small part of its time.
func splitAbsolute(text string) (parts, bool) {
	switch {
	case len(text) > 7 && strings.EqualFold(text[:7], "http://"):
		return splitAuthority("http", text[7:])
	case len(text) > 8 && strings.EqualFold(text[:8], "https://"):
		return splitAuthority("https", text[8:])
	}
	return parts{}, false
}

// splitLink takes a plain link apart.
func splitLink(base URL, text string) (parts, bool) {
	if !plain(text) {
		return parts{}, false
	}
	scheme, _, _ := strings.Cut(base.text, "://")
	p := parts{scheme: scheme, host: base.origin()[len(scheme)+3:]}
	switch {
	case strings.HasPrefix(text, "//"):
		return splitAuthority(scheme, text[2:])
	case text == "":
		p.path, p.query, _ = strings.Cut(base.PathQuery(), "?")
	case text[0] == '?':
		p.path, p.query = base.Path(), text[1:]
	case text[0] == '/':
		p.path, p.query, _ = strings.Cut(text, "?")
	case schemeOf(text) != "":
		return splitAbsolute(text)
	default:
		path := base.Path()
		p.dir = path[:strings.LastIndexByte(path, '/')+1]
		p.path, p.query, _ = strings.Cut(text, "?")
	}
	return p, true
}

// splitAuthority takes what comes after the two slashes apart.
func splitAuthority(scheme, rest string) (p parts, ok bool) {
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	host, port, hasPort := strings.Cut(rest[:end], ":")
	if !plainHost(host) || hasPort && !plainPort(port) || !plain(rest[end:]) {
		return parts{}, false
	}
	path, query, _ := strings.Cut(rest[end:], "?")
	if path == "" {
		path = "/"
	}
	return parts{scheme: scheme, host: host, port: port, path: path, query: query}, true
}

// plain reports whether a path and a query are what they seem to be: without backslashes and control characters.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '\\' {
			return false
		}
	}
	return true
}

// plainHost reports whether a host is a name of letters, digits, hyphens, underscores and dots that IDNA leaves as it is, or an IPv4
// address in its usual form.
func plainHost(host string) bool {
	if len(host) > 253 || strings.Contains(host, "--") {
		return false
	}
	dot := -1 // the last
	for i := range len(host) {
		switch c := lower(host[i]); {
		case c == '.':
			if i == dot+1 {
				return false
			}
			dot = i
		case (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_':
			return false
		}
	}
	if dot == len(host)-1 { // or there is no host
		return false
	}
	if last := host[dot+1]; last >= '0' && last <= '9' {
		address, err := netip.ParseAddr(host)
		return err == nil && address.Is4()
	}
	return true
}

// plainPort reports whether a port is a number as it is usually written.
func plainPort(port string) bool {
	if len(port) == 0 || len(port) > 5 || port[0] == '0' || len(port) == 5 && port > "65535" {
		return false
	}
	for i := range len(port) {
		if port[i] < '0' || port[i] > '9' {
			return false
		}
	}
	return true
}

// schemeOf returns the scheme that a text begins with, or "".
func schemeOf(text string) string {
	for i := range len(text) {
		switch c := lower(text[i]); {
		case c == ':':
			return text[:i]
		case c >= 'a' && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return ""
		}
	}
	return ""
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
