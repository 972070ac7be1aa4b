package extract

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
)

// typeOf is the media type that an answer says it has, in lower case; "": none that can be read.
func typeOf(header http.Header) string {
	t, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil && t == "" {
		t, _, _ = strings.Cut(header.Get("Content-Type"), ";")
		t = strings.ToLower(strings.TrimSpace(t))
	}
	return t
}

// IsHTML reports whether an answer is an HTML page: by its type, or if it has none, by its first bytes. An answer that begins like
// something else, such as an image, never is.
func IsHTML(header http.Header, body []byte) bool {
	switch t := typeOf(header); {
	case t == "text/html" || strings.Contains(t, "xhtml"):
		return !binary(body)
	case t == "":
		return strings.HasPrefix(http.DetectContentType(body), "text/html")
	case isXML(header):
		return strings.EqualFold(rootOf(body), "html")
	}
	return false
}

// IsFeed reports whether an answer is a feed or a sitemap: its type is XML or text, or missing, and it begins with an element of a feed
// or sitemap.
func IsFeed(header http.Header, body []byte) bool {
	t := typeOf(header)
	if t != "" && t != "text/plain" && t != "text/html" && !isXML(header) {
		return false
	}
	switch strings.ToLower(rootOf(body)) {
	case "rss", "rdf", "feed", "urlset", "sitemapindex":
		return true
	}
	return false
}

func isXML(header http.Header) bool {
	t := typeOf(header)
	return t == "text/xml" || t == "application/xml" || strings.HasSuffix(t, "+xml")
}

// binary reports whether a text is none: it begins as some other format does, or holds bytes that no text has.
func binary(body []byte) bool {
	switch t := http.DetectContentType(body); {
	case strings.HasPrefix(t, "text/"):
		return false
	case t == "application/octet-stream":
		return bytes.IndexByte(body[:min(len(body), 512)], 0) >= 0
	}
	return true
}

// rootOf returns the name of the first element of XML, without its prefix; "": there is none near the beginning.
func rootOf(body []byte) string {
	head := body[:min(len(body), 4096)]
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	for len(head) > 1 && head[0] == '<' {
		end := ">"
		switch {
		case bytes.HasPrefix(head, []byte("<!--")):
			end = "-->"
		case head[1] != '?' && head[1] != '!':
			name := head[1:]
			if stop := bytes.IndexAny(name, " \t\r\n/>"); stop >= 0 {
				name = name[:stop]
			}
			return string(name[bytes.IndexByte(name, ':')+1:])
		}
		at := bytes.Index(head, []byte(end))
		if at < 0 {
			return ""
		}
		head = bytes.TrimLeft(head[at+len(end):], " \t\r\n")
	}
	return ""
}
