package umbra

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// result is what a client is sent for a request of its page.
type result struct {
	URL      string            `json:"url"`
	Method   string            `json:"method"`
	Headers  map[string]string `json:"headers"`
	Parent   string            `json:"parentUrl"`
	Metadata json.RawMessage   `json:"parentUrlMetadata"`
	Body     *string           `json:"postData,omitempty"`
}

// Encode returns the body of the message that reports a request to a client.
func (m *Message) Encode(r Request) ([]byte, error) {
	out := result{URL: r.URL, Method: r.Method, Headers: r.Headers, Parent: m.URL, Metadata: m.Metadata}
	if out.Metadata == nil {
		out.Metadata = json.RawMessage("{}")
	}
	if out.Headers == nil {
		out.Headers = map[string]string{}
	}
	if r.Body != nil {
		body := postData(r.Body)
		out.Body = &body
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(out)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// postData returns a body as JSON can hold it: text as it is, anything else with a character, U+0000 to U+00FF, for each byte.
func postData(body []byte) string {
	if utf8.Valid(body) {
		return string(body)
	}
	var b strings.Builder
	for _, c := range body {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// Sent reports whether a request goes over the network. One for data that is part of a URL or of another page does not.
func Sent(r Request) bool {
	return strings.HasPrefix(r.URL, "http://") || strings.HasPrefix(r.URL, "https://")
}

// Links returns the links of a page as requests: without fragments, each once.
func Links(all []string) (requests []Request) {
	seen := map[string]bool{}
	for _, url := range all {
		url, _, _ = strings.Cut(url, "#")
		if r := (Request{URL: url, Method: "GET"}); !seen[url] && Sent(r) {
			seen[url] = true
			requests = append(requests, r)
		}
	}
	return requests
}
