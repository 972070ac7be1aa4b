package atdis

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// feed is one page of the feed.
type feed struct {
	items   []json.RawMessage // none where the page has no pagination
	current string            // the number of the page as it says itself; "" where it does not
	next    string            // "" is the end
}

// readFeed reads a page. One without pagination has no applications; one without a response either is no page of a feed, but an
// error that is told in JSON.
func readFeed(page *agent.Page) (feed, error) {
	if err := page.Check(agent.JSON); err != nil {
		return feed{}, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(page.Text), &object); err != nil {
		return feed{}, page.Missing("JSON object", err.Error())
	}
	var pagination *struct{ Current, Next text }
	_, paged := object["pagination"]
	_, answered := object["response"]
	switch {
	case !paged && !answered:
		return feed{}, page.Missing("list response", slices.Sorted(maps.Keys(object))...)
	case json.Unmarshal(object["pagination"], &pagination) != nil || pagination == nil:
		return feed{}, nil
	}
	f := feed{current: pagination.Current.String(), next: pagination.Next.String()}
	if err := json.Unmarshal(object["response"], &f.items); err != nil {
		return feed{}, page.Missing("list response", slices.Sorted(maps.Keys(object))...)
	}
	return f, nil
}

// application is an item of the feed, as far as it becomes a record.
type application struct {
	Info struct {
		Reference   text `json:"dat_id"`
		Description text `json:"description"`
		Lodged      text `json:"lodgement_date"`
		NoticeFrom  text `json:"notification_start_date"`
		NoticeTo    text `json:"notification_end_date"`
	} `json:"info"`
	Reference struct {
		InfoURL text `json:"more_info_url"`
	} `json:"reference"`
	Locations []struct {
		Address *struct {
			Street, Suburb, State, Postcode text
		} `json:"address"`
	} `json:"locations"`
}

// readApplication reads an item. Where it errs, what could be read is there.
func readApplication(item []byte) (application, error) {
	var i struct {
		Application application `json:"application"`
	}
	err := json.Unmarshal(item, &i)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) { // its own text names the types of this program
		err = fmt.Errorf("%s is a JSON %s", cmp.Or(other.Field, "it"), other.Value)
	}
	if err != nil {
		err = fmt.Errorf("read the application: %w", err)
	}
	return i.Application, err
}

// address is the first one: street, suburb, state and postcode. Where there is neither street nor suburb, there is none.
func (a application) address() string {
	for _, location := range a.Locations {
		if location.Address == nil {
			continue
		}
		l := *location.Address
		place := joined(", ", l.Street.String(), l.Suburb.String())
		if place == "" {
			return ""
		}
		return joined(", ", place, joined(" ", l.State.String(), l.Postcode.String()))
	}
	return ""
}

func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, scraperutils.Blank), separator)
}

// text is a JSON string, or a number as it is written. Anything else is empty.
type text string

// UnmarshalJSON takes any value.
func (t *text) UnmarshalJSON(data []byte) error {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	switch value := value.(type) {
	case string:
		*t = text(value)
	case json.Number:
		*t = text(value)
	default:
		*t = ""
	}
	return nil
}

// String is the text without white space around it.
func (t text) String() string { return scraperutils.Trim(string(t)) }

var escapes = regexp.MustCompile(`%[0-9a-fA-F]{2}`)

// formDecoded undoes the encoding of forms. A percent sign that escapes nothing stands for itself.
func formDecoded(s string) string {
	decoded := escapes.ReplaceAllStringFunc(strings.ReplaceAll(s, "+", " "), func(e string) string {
		b, _ := strconv.ParseUint(e[1:], 16, 8)
		return string([]byte{byte(b)})
	})
	if !utf8.ValidString(decoded) {
		return s
	}
	return decoded
}

// zoned and local are the forms of timestamps with an offset and without one, a T between date and time.
var (
	zoned = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05 Z07:00", "2006-01-02T15:04:05 Z0700"}
	local = []string{"2006-01-02T15:04:05", "2006-01-02T15:04"}
)

// dateIn is the date of a timestamp in a time zone. A date without a time, and a time without an offset, is the council's own
// already. What can't be read is "".
func dateIn(zone *time.Location, s string) string {
	stamp := strings.Replace(strings.ToUpper(s), " ", "T", 1)
	for _, layout := range zoned {
		if t, err := time.Parse(layout, stamp); err == nil {
			return t.In(zone).Format(time.DateOnly)
		}
	}
	for _, layout := range local {
		if t, err := time.Parse(layout, stamp); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	if strings.Contains(s, ":") {
		return ""
	}
	date, err := register.ParseDate(s)
	if err != nil {
		return ""
	}
	return date
}
