package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

const jsonType = "application/json"

// AcceptJSON asks for JSON, where a server has several forms of an answer.
func AcceptJSON(r *scraperutils.Request) { r.Header.Set("Accept", jsonType) }

// PostJSON sends a value as JSON to an absolute URL and asks for JSON.
func (a *Agent) PostJSON(ctx context.Context, rawURL string, body any, options ...RequestOption) (*Page, error) {
	u, err := fetch.ParseURL(rawURL)
	if err != nil {
		return nil, fmt.Errorf("post to %q: %w", shortened(scraperutils.ShownLink(rawURL)), err)
	}
	text, options, err := withJSON(body, options)
	if err != nil {
		return nil, fmt.Errorf("post to %s: %w", scraperutils.ShownURL(u), err)
	}
	return a.fetch(ctx, http.MethodPost, u, text, nil, options)
}

// PostJSON sends a value as JSON to a link of the page, with the page as referrer, and asks for JSON.
func (p *Page) PostJSON(ctx context.Context, href string, body any, options ...RequestOption) (*Page, error) {
	u, err := p.Resolve(href)
	if err != nil {
		return nil, err
	}
	text, options, err := withJSON(body, options)
	if err != nil {
		return nil, fmt.Errorf("post to %s: %w", scraperutils.ShownURL(u), err)
	}
	return p.agent.fetch(ctx, http.MethodPost, u, text, p.URL, options)
}

// withJSON returns a body and the options of a request that sends it; those of the caller come last.
func withJSON(body any, options []RequestOption) ([]byte, []RequestOption, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	sent := func(r *scraperutils.Request) { r.Header.Set("Content-Type", jsonType) }
	return text, append([]RequestOption{AcceptJSON, sent}, options...), nil
}

// JSON reads the page into a value, as json.Unmarshal does, and is strict about it. These are *scraperutils.LayoutErrors that say what
// was there: a page that is no JSON, such as an HTML page with an error; a value of another type; a field that is not there, or null
// where the type has no nil, unless its tag has omitempty or omitzero. JSON passes over what the page has and the type has not. A
// number stays exact where the field is a json.Number, or an any, which becomes one. A page with more values than any list has is a
// *scraperutils.TooLargeError.
func (p *Page) JSON(into any) error {
	if err := p.Check(JSON); err != nil {
		return err
	}
	if err := p.decode(into); err != nil {
		return err
	}
	if _, ok := into.(*any); ok {
		return nil // it lacks nothing
	}
	var tree any
	if err := p.decode(&tree); err != nil {
		return err
	}
	if lacks, found := lacking(tree, into); lacks != "" {
		return p.Missing("field "+lacks+" in the JSON", found...)
	}
	return nil
}

// decode reads the page, which has one value and nothing else.
func (p *Page) decode(into any) error {
	decoder := json.NewDecoder(strings.NewReader(p.Text))
	decoder.UseNumber()
	err := decoder.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return p.Missing(wrong.Type.String()+" in field "+wrong.Field+" of the JSON", wrong.Value)
	case errors.As(err, &wrong):
		return p.Missing(wrong.Type.String()+" in the JSON", wrong.Value)
	case err != nil:
		return p.Missing("JSON", err.Error())
	}
	end := decoder.InputOffset()
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return p.Missing("end of the JSON", scraperutils.Trim(p.Text[end:]))
	}
	return nil
}
