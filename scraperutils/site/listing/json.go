package listing

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// NextURL finds the next page of an API by the address in a field of its JSON, such as next or links.next. The field that is not there,
// null, false or "" is the end.
func NextURL(field string) Next {
	return func(ctx context.Context, at *At) (*agent.Page, error) {
		href, err := textAt(at.Page, field)
		if err != nil || href == "" {
			return nil, err
		}
		return at.Get(ctx, href, agent.AcceptJSON)
	}
}

// Cursor finds the next page of an API by sending the value of a field of its JSON, such as meta.next_cursor, in a parameter of the
// first page's address. The field that is not there, null, false or "" is the end.
func Cursor(parameter, field string) Next {
	return func(ctx context.Context, at *At) (*agent.Page, error) {
		cursor, err := textAt(at.Page, field)
		if err != nil || cursor == "" {
			return nil, err
		}
		return at.Get(ctx, withParameter(at.first, parameter, cursor), agent.AcceptJSON)
	}
}

// withParameter sets a parameter of an address, and leaves the others as they stand.
func withParameter(u *url.URL, name, value string) string {
	var kept []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		key, _, _ := strings.Cut(part, "=")
		if key, err := url.QueryUnescape(key); part != "" && (err != nil || key != name) {
			kept = append(kept, part)
		}
	}
	with := *u
	with.RawQuery = strings.Join(append(kept, url.QueryEscape(name)+"="+url.QueryEscape(value)), "&")
	return with.String()
}

// textAt returns the text or number in a field of a JSON page; "" where it is not there, null or false.
func textAt(page *agent.Page, field string) (string, error) {
	value, found, err := valueAt(page, field)
	if err != nil {
		return "", err
	}
	switch value := value.(type) {
	case string:
		return value, nil
	case json.Number:
		return value.String(), nil
	case nil:
		return "", nil
	case bool:
		if !value {
			return "", nil
		}
	}
	return "", page.Missing("text in field "+field+" of the JSON", found...)
}

// itemTexts returns what the elements of a list in a JSON page say.
func itemTexts(page *agent.Page, field string) ([]string, error) {
	value, found, err := valueAt(page, field)
	if err != nil {
		return nil, err
	}
	list, ok := value.([]any)
	if !ok {
		return nil, page.Missing("list in field "+field+" of the JSON", found...)
	}
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = fmt.Sprint(item)
	}
	return texts, nil
}

// valueAt returns what stands in a field of a JSON page, nil where it is not there, with the names that stand beside it. A field that
// it should stand in must be there.
func valueAt(page *agent.Page, field string) (value any, found []string, err error) {
	if err := page.JSON(&value); err != nil {
		return nil, nil, err
	}
	path := strings.Split(field, ".")
	for i, name := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, nil, page.Missing(strings.TrimSpace("object "+strings.Join(path[:i], "."))+" in the JSON", found...)
		}
		found = slices.Sorted(maps.Keys(object))
		value = object[name]
	}
	return value, found, nil
}
