package amqp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// maxMessage is how large a message may be that has a URL, in bytes.
const maxMessage = 1 << 20

// MessageError says why a message has nothing to fetch.
type MessageError struct {
	Excerpt string // the beginning of the message, without user information
	Err     error
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("message %q: %v", e.Excerpt, e.Err)
}
func (e *MessageError) Unwrap() error { return e.Err }

func messageError(body []byte, err error) error {
	const most = 100
	excerpt := scraperutils.WithoutUser(string(body[:min(len(body), 40*most)]))
	if len(excerpt) > most {
		excerpt = excerpt[:most] + "…"
	}
	return &MessageError{excerpt, err}
}

// parseMessage reads what is to be fetched, and its priority, out of a message.
func parseMessage(body []byte) (raw string, priority int, err error) {
	if len(body) > maxMessage {
		return "", 0, fmt.Errorf("has %d bytes, expected %d at most", len(body), maxMessage)
	}
	if !utf8.Valid(body) {
		return "", 0, errors.New("is no text in UTF-8")
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	switch {
	case len(text) == 0:
		return "", 0, errors.New("is empty")
	case text[0] == '{':
		raw, priority, err = parseObject(text)
	case text[0] == '"':
		if err := json.Unmarshal(text, &raw); err != nil {
			return "", 0, fmt.Errorf("is no JSON: %w", err)
		}
	default:
		raw = string(text)
	}
	if err == nil && (raw == "" || strings.ContainsFunc(raw, blank)) {
		err = errors.New("is no URL: expected one, or a JSON object with url or link")
	}
	return raw, priority, err
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func parseObject(text []byte) (raw string, priority int, err error) {
	var o struct {
		URL      string `json:"url"`
		Link     string `json:"link"`
		Priority int    `json:"priority"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return "", 0, fmt.Errorf("is no JSON object with url or link: %w", err)
	}
	if o.Priority < 0 || o.Priority > 9 {
		return "", 0, fmt.Errorf("has priority %d, expected 0 to 9", o.Priority)
	}
	if o.URL == "" {
		o.URL = o.Link
	}
	return strings.TrimSpace(o.URL), o.Priority, nil
}

// ParseEntry makes an entry of an absolute http or https URL, and leaves the URL as it is.
func ParseEntry(raw string, priority int) (crawl.Entry, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return crawl.Entry{}, errors.New("is no URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return crawl.Entry{}, fmt.Errorf("has scheme %q, expected http or https", u.Scheme)
	case u.Hostname() == "":
		return crawl.Entry{}, errors.New("has no host")
	case u.User != nil:
		return crawl.Entry{}, errors.New("has a user in its URL")
	}
	return crawl.Entry{Host: scraperutils.HostOf(u), URL: u.String(), Priority: priority}, nil
}
