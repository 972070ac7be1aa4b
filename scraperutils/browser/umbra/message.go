package umbra

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMessage is how large a message may be that is to be browsed, in bytes.
const maxMessage = 1 << 20

// maxKey is how long a routing key may be, in bytes, by AMQP.
const maxKey = 255

// Message is a client's request for a page.
type Message struct {
	URL       string          // http or https, as received
	ClientID  string          // the routing key of results; "": nobody wants them
	Metadata  json.RawMessage // the client's own object; {} if there is none
	UserAgent string          // from the metadata; "": the worker's
	Username  string
	Password  string

	Parameters map[string]any // replace those of the matching behavior; nil: its own
	Retries    int            // from the metadata: how often the page has failed
}

// ParseMessage reads a message. It ignores unknown fields, and treats null as missing. The error says what is wrong without quoting the
// message.
func ParseMessage(body []byte) (*Message, error) {
	if len(body) > maxMessage {
		return nil, fmt.Errorf("message has %d bytes, expected %d at most", len(body), maxMessage)
	}
	if !utf8.Valid(body) {
		return nil, errors.New("message is no text in UTF-8")
	}
	fields, err := object("message", body)
	if err != nil {
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("message is null, expected a JSON object")
	}
	m := &Message{Metadata: json.RawMessage("{}")}
	var metadata map[string]json.RawMessage
	if raw, ok := present(fields, "metadata"); ok {
		if metadata, err = object("metadata", raw); err != nil {
			return nil, err
		}
		m.Metadata = raw
	}
	parameters, _ := present(fields, "behaviorParameters")
	return m, errors.Join(
		text(fields, "url", &m.URL),
		text(fields, "clientId", &m.ClientID),
		text(fields, "username", &m.Username),
		text(fields, "password", &m.Password),
		within("metadata", text(metadata, "userAgent", &m.UserAgent)),
		within("metadata", count(metadata, "retries", &m.Retries)),
		mapping("behaviorParameters", parameters, &m.Parameters),
	)
}

// check returns why a message that can be read can't be browsed.
func (m *Message) check(key string) error {
	lower := strings.ToLower(m.URL[:min(len(m.URL), len("https://"))])
	switch {
	case m.URL == "":
		return errors.New("url is missing")
	case !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://"):
		return errors.New("url has another scheme than http and https")
	case strings.ContainsFunc(m.URL, unicode.IsControl):
		return errors.New("url has control characters")
	case len(m.ClientID) > maxKey:
		return fmt.Errorf("clientId has %d bytes, expected %d at most", len(m.ClientID), maxKey)
	case m.ClientID == key:
		return fmt.Errorf("clientId is %q: results would come back as messages", key)
	}
	return nil
}

// again returns the body of a message whose page has failed once more. All that it does not know stays.
func again(body []byte, retries int) ([]byte, error) {
	fields, err := object("message", body)
	if err != nil {
		return nil, err
	}
	metadata := map[string]any{}
	if raw, ok := present(fields, "metadata"); ok {
		old, err := object("metadata", raw)
		if err != nil {
			return nil, err
		}
		for name, value := range maps.All(old) {
			metadata[name] = value
		}
	}
	metadata["retries"] = retries
	if fields["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// object reads a JSON object, or null as nil.
func object(name string, raw []byte) (fields map[string]json.RawMessage, err error) {
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(raw, &fields); {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("%s is no JSON: %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("%s is no JSON object", name)
	}
	return fields, nil
}

// present returns a field that is there and not null.
func present(fields map[string]json.RawMessage, name string) (json.RawMessage, bool) {
	raw := fields[name]
	return raw, len(raw) > 0 && string(raw) != "null"
}

func text(fields map[string]json.RawMessage, name string, to *string) error {
	if raw, ok := present(fields, name); ok && json.Unmarshal(raw, to) != nil {
		return fmt.Errorf("%s is no string", name)
	}
	return nil
}

func count(fields map[string]json.RawMessage, name string, to *int) error {
	if raw, ok := present(fields, name); ok && (json.Unmarshal(raw, to) != nil || *to < 0) {
		return fmt.Errorf("%s is no whole number from 0", name)
	}
	return nil
}

func mapping(name string, raw json.RawMessage, to *map[string]any) error {
	if len(raw) > 0 && string(raw) != "null" && json.Unmarshal(raw, to) != nil {
		return fmt.Errorf("%s is no JSON object", name)
	}
	return nil
}

func within(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s.%w", name, err)
}
