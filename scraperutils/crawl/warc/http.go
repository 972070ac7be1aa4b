package warc

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// origin marks a header that the server sent and that does not fit what is kept.
const origin = "X-Archive-Orig-"

// answerHead is the status line and the headers of an answer, as they fit its decoded body.
func answerHead(p *crawl.Page) []byte {
	var b bytes.Buffer
	b.Grow(usualHead)
	b.WriteString("HTTP/1.1 " + strconv.Itoa(p.Status) + " " + http.StatusText(p.Status) + "\r\n")
	length := strconv.Itoa(len(p.Body))
	said := false
	eachHeader(p.Header, func(name, value string) {
		switch http.CanonicalHeaderKey(name) {
		case "Content-Encoding", "Transfer-Encoding":
			name = origin + name
		case "Content-Length":
			switch {
			case p.Unchanged: // of a body that is not here
			case said || value != length:
				name = origin + name
			default:
				said = true
			}
		}
		writeField(&b, name, value)
	})
	if !said && !p.Unchanged {
		writeField(&b, "Content-Length", length)
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// requestHead is the request that the answer came of, as far as is known.
func requestHead(p *crawl.Page) []byte {
	var b bytes.Buffer
	b.Grow(usualHead)
	method, target, host := http.MethodGet, "/", p.Host.String()
	var header http.Header
	if p.Request != nil {
		method, header = p.Request.Method, p.Request.Header
	}
	if u, err := url.Parse(p.Final); err == nil && u.Host != "" {
		target, host = u.RequestURI(), u.Host
	}
	b.WriteString(oneLine(method) + " " + oneLine(target) + " HTTP/1.1\r\nHost: " + oneLine(host) + "\r\n")
	eachHeader(header, func(name, value string) { writeField(&b, name, value) })
	b.WriteString("\r\n")
	return b.Bytes()
}

// eachHeader calls do for each header, by name, in a form that can't end a line or a head.
func eachHeader(h http.Header, do func(name, value string)) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			do(token(name), oneLine(value))
		}
	}
}

// token is a header's name with what no name may have made into an underscore.
func token(name string) string {
	if httpguts.ValidHeaderFieldName(name) {
		return name
	}
	return strings.Map(func(r rune) rune {
		if r < 0x80 && httpguts.IsTokenRune(r) {
			return r
		}
		return '_'
	}, "_"+name)
}

// oneLine keeps what a server says from ending a line: control characters become spaces.
func oneLine(s string) string {
	if strings.IndexFunc(s, control) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if control(r) {
			return ' '
		}
		return r
	}, s)
}

func control(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
