package cassette

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// key is what two requests have in common that mean the same.
type key struct {
	method string
	host   scraperutils.Host // name and port; the scheme counts by its port only
	path   string            // decoded, repeated slashes as one
	query  string            // its pairs decoded, sorted and encoded again
}

func keyOf(method string, u *url.URL) key {
	if method == "" {
		method = http.MethodGet
	}
	return key{
		method: strings.ToUpper(method),
		host:   scraperutils.HostOf(u),
		path:   plainPath(u.Path),
		query:  plainQuery(u.RawQuery),
	}
}

func plainPath(path string) string {
	var b strings.Builder
	b.WriteByte('/')
	last := byte('/')
	for i := range len(path) {
		if path[i] != '/' || last != '/' {
			b.WriteByte(path[i])
		}
		last = path[i]
	}
	return b.String()
}

// plainQuery writes equal multisets of pairs equally. A query that can't be decoded stands for itself, and is like no other:
// what is written here can be decoded.
func plainQuery(raw string) string {
	var pairs []string
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, err1 := url.QueryUnescape(name)
		value, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			return raw
		}
		pairs = append(pairs, url.QueryEscape(name)+"="+url.QueryEscape(value))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// once is the key with each pair of the query once, as some recorders write it.
func (k key) once() key {
	pairs := strings.Split(k.query, "&") // they are sorted
	k.query = strings.Join(slices.Compact(pairs), "&")
	return k
}
