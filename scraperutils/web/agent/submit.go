package agent

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Value is one field to send.
type Value struct{ Name, Value string }

// Values are fields in the order in which the form sends them.
type Values []Value

// Encode returns the values as a query: application/x-www-form-urlencoded, with a space as +.
func (v Values) Encode() string {
	var b strings.Builder
	b.Grow(v.size() + v.size()/8) // of the base64 in a page's state every tenth character is escaped
	for i, f := range v {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(f.Name))
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(f.Value))
	}
	return b.String()
}

// size is how many bytes the values have before they are encoded.
func (v Values) size() int {
	n := 0
	for _, f := range v {
		n += len(f.Name) + len(f.Value) + len("=&")
	}
	return n
}

// in writes the values in a page's encoding; characters that it lacks become character references, as in browsers.
func (v Values) in(enc encoding.Encoding) Values {
	if enc == nil || enc == unicode.UTF8 {
		return v
	}
	encoder := encoding.HTMLEscapeUnsupported(enc.NewEncoder())
	out := make(Values, len(v))
	for i, f := range v {
		out[i] = f
		if name, err := encoder.String(f.Name); err == nil {
			out[i].Name = name
		}
		if value, err := encoder.String(f.Value); err == nil {
			out[i].Value = value
		}
	}
	return out
}

// multipart writes the values as multipart/form-data and returns that with its content type.
func (v Values) multipart() (body []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range v {
		if err := w.WriteField(f.Name, f.Value); err != nil {
			return nil, "", err
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

// Submit sends the form as a browser does when a button is pressed. If the button is nil, none is pressed. A GET form puts everything
// into the query.
func (f *Form) Submit(ctx context.Context, pressed *Field, options ...RequestOption) (*Page, error) {
	attribute := func(name string) string {
		if pressed != nil && pressed.Node != nil {
			if v, ok := pressed.Node.Attr("form" + name); ok {
				return v
			}
		}
		return f.node.AttrOr(name, "")
	}
	action := f.page.URL.ResolveReference(&url.URL{}) // the page's own where the form names none, whatever its base is
	if named := scraperutils.Trim(attribute("action")); named != "" {
		var err error
		if action, err = f.page.Resolve(named); err != nil {
			return nil, fmt.Errorf("submit the form of %s: %w", scraperutils.ShownURL(f.page.URL), err)
		}
	}
	values := f.Values(pressed).in(f.page.encoding)
	fetch := func(method string, body []byte) (*Page, error) {
		return f.page.agent.fetch(ctx, method, action, body, f.page.URL, options)
	}
	if !strings.EqualFold(attribute("method"), http.MethodPost) {
		action.RawQuery, action.ForceQuery = values.Encode(), false
		return fetch(http.MethodGet, nil)
	}
	if strings.EqualFold(attribute("enctype"), "multipart/form-data") {
		body, contentType, err := values.multipart()
		if err != nil {
			return nil, fmt.Errorf("submit the form of %s: %w", scraperutils.ShownURL(f.page.URL), err)
		}
		options = append(options, func(r *scraperutils.Request) { r.Header.Set("Content-Type", contentType) })
		return fetch(http.MethodPost, body)
	}
	return fetch(http.MethodPost, []byte(values.Encode()))
}

// Postback submits the form as an ASP.NET page's __doPostBack(target, argument) does.
func (f *Form) Postback(ctx context.Context, target, argument string, options ...RequestOption) (*Page, error) {
	f.Set("__EVENTTARGET", target)
	f.Set("__EVENTARGUMENT", argument)
	return f.Submit(ctx, nil, options...)
}

var (
	postback      = regexp.MustCompile(`__doPostBack\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*,\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\)`)
	longPostback  = regexp.MustCompile(`WebForm_PostBackOptions\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*,\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")`)
	returnsFalse  = regexp.MustCompile(`^\s*(?:javascript:)?\s*return\s+false\b`)
	scriptEscapes = regexp.MustCompile(`\\(.)`)
)

// ParsePostback reads the target and argument from the script of a link or button. It reports false for a script that leads nowhere.
func ParsePostback(script string) (target, argument string, ok bool) {
	if returnsFalse.MatchString(script) {
		return "", "", false
	}
	m := postback.FindStringSubmatch(script)
	if m == nil {
		m = longPostback.FindStringSubmatch(script)
	}
	if m == nil {
		return "", "", false
	}
	unescape := func(s string) string { return scriptEscapes.ReplaceAllString(s, "$1") }
	return unescape(m[1] + m[2]), unescape(m[3] + m[4]), true
}
