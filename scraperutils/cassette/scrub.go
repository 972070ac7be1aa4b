package cassette

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	redacted      = "<REDACTED>"
	redactedInURL = "%3CREDACTED%3E" // where bare brackets would make a URL unreadable

	// What a gzipped body holds beyond this is not searched for secrets, and so not written.
	mostGunzipped = 64 << 20
)

var userinfo = regexp.MustCompile(`://[^/?#\s]*@`)

// withoutUserinfo hides user and password of every URL in a text.
func withoutUserinfo(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	return userinfo.ReplaceAllLiteralString(s, "://"+redactedInURL+"@")
}

// scrubber takes secrets out of what is written. It is immutable.
type scrubber struct {
	secrets *strings.Replacer // nil where there are none
}

func newScrubber(secrets []string) scrubber {
	var forms []string
	for _, s := range secrets {
		if s != "" {
			forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s), html.EscapeString(s))
		}
	}
	if len(forms) == 0 {
		return scrubber{}
	}
	slices.SortFunc(forms, func(a, b string) int { // the replacer takes the first that fits
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var pairs []string
	for _, s := range slices.Compact(forms) {
		pairs = append(pairs, s, redacted)
	}
	return scrubber{strings.NewReplacer(pairs...)}
}

func (s scrubber) text(v string) string {
	if s.secrets == nil {
		return v
	}
	return s.secrets.Replace(v)
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

func (s scrubber) body(b []byte) []byte {
	if s.secrets == nil {
		return b
	}
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return s.gzipped(b)
	}
	return []byte(s.secrets.Replace(string(b)))
}

// gzipped returns the body as it is where there is no secret inside, as far as it can be gunzipped.
func (s scrubber) gzipped(b []byte) []byte {
	in, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return []byte(s.secrets.Replace(string(b)))
	}
	plain, _ := io.ReadAll(io.LimitReader(in, mostGunzipped+1))
	searched := string(plain[:min(len(plain), mostGunzipped)])
	clean := s.secrets.Replace(searched)
	if clean == searched && len(plain) <= mostGunzipped {
		return b
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(clean)) // to memory
	_ = w.Close()
	return out.Bytes()
}
