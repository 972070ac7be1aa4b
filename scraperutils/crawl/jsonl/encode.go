package jsonl

import (
	"bytes"
	"encoding/json"
	"mime"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// line is a page as it is written.
type line struct {
	ID        string  `json:"id"`
	URL       string  `json:"url"`
	Final     string  `json:"final"`
	Status    int     `json:"status"`
	At        string  `json:"at"`
	Took      int64   `json:"took_ms"`
	Type      string  `json:"type"`
	Attempts  int     `json:"attempts"`
	Unchanged bool    `json:"unchanged,omitempty"`
	Charset   string  `json:"charset,omitempty"`
	Body      *string `json:"body,omitempty"`
	Bytes     []byte  `json:"body_base64,omitempty"`
}

// Append appends a page's JSON object to b. The object has no line end, and only escaped control characters.
func Append(b []byte, p *crawl.Page) ([]byte, error) {
	l := line{
		ID: p.ID, URL: p.URL, Final: p.Final, Status: p.Status, At: p.At.UTC().Format("2006-01-02T15:04:05.000Z07:00"),
		Took: int64(p.Took / time.Millisecond), Type: p.Type, Attempts: p.Attempts, Unchanged: p.Unchanged,
	}
	if text, charset, ok := text(p); ok {
		l.Body, l.Charset = &text, charset
	} else {
		l.Bytes = p.Body
	}
	if p.Unchanged && len(p.Body) == 0 {
		l.Body = nil
	}
	out := bytes.NewBuffer(b)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(l); err != nil {
		return b, err
	}
	object := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if !beyondJSON(object[len(b):]) {
		return object, nil
	}
	return escapeRest(object[:len(b):len(b)], object[len(b):]), nil
}

// beyondJSON reports whether there are control characters that JSON need not escape: a terminal may obey them all the same. They are
// U+007F to U+009F, in UTF-8 the byte 7F, and C2 before one below A0.
func beyondJSON(b []byte) bool {
	if bytes.IndexByte(b, 0x7f) >= 0 {
		return true
	}
	for {
		i := bytes.IndexByte(b, 0xc2)
		if i < 0 || i+1 == len(b) {
			return false
		}
		if b = b[i+1:]; b[0] < 0xa0 {
			return true
		}
	}
}

func escapeRest(b, object []byte) []byte {
	const hex = "0123456789abcdef"
	for _, r := range string(object) {
		if r >= 0x7f && r <= 0x9f {
			b = append(b, `\u00`...)
			b = append(b, hex[r>>4], hex[r&15])
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// text returns a page's body as text, and the charset that it was in where that is another than UTF-8.
func text(p *crawl.Page) (s, name string, ok bool) {
	contentType := p.Header.Get("Content-Type")
	if declares(contentType) || !utf8.Valid(p.Body) && strings.HasPrefix(p.Type, "text/") {
		encoding, name, _ := charset.DetermineEncoding(p.Body, contentType)
		if name != "utf-8" {
			decoded, err := encoding.NewDecoder().Bytes(p.Body)
			if err != nil {
				return "", "", false
			}
			again, err := encoding.NewEncoder().Bytes(decoded)
			return string(decoded), name, err == nil && bytes.Equal(again, p.Body)
		}
	}
	return string(p.Body), "", utf8.Valid(p.Body)
}

// declares reports whether a content type names a charset that is known.
func declares(contentType string) bool {
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	encoding, _ := charset.Lookup(parameters["charset"])
	return encoding != nil
}
