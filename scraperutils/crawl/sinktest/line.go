package sinktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/net/html/charset"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// ParseLine reads the ID, URL, and body of a page's JSON, as a program would that knows only the documentation of package jsonl.
func ParseLine(line string) (*crawl.Page, error) {
	if i := strings.IndexFunc(line, unicode.IsControl); i >= 0 {
		return nil, fmt.Errorf("a control character in %q", line[:i+1])
	}
	var o struct {
		ID, URL, Charset string
		Body             *string
		Base64           []byte `json:"body_base64"`
	}
	if err := json.Unmarshal([]byte(line), &o); err != nil {
		return nil, err
	}
	p := &crawl.Page{ID: o.ID, URL: o.URL, Body: o.Base64}
	if o.Body != nil {
		p.Body = []byte(*o.Body)
	}
	if o.Charset != "" {
		encoding, _ := charset.Lookup(o.Charset)
		if encoding == nil {
			return nil, errors.New("unknown charset " + o.Charset)
		}
		var err error
		if p.Body, err = encoding.NewEncoder().Bytes(p.Body); err != nil {
			return nil, err
		}
	}
	return p, nil
}
