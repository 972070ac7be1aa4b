package conformance

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

//go:embed departures.json
var departuresJSON []byte

// A departure is a case, or a part of its outcome, that is otherwise here than in Ruby, on purpose.
type departure struct {
	Suite   string          `json:"suite"`
	Version string          `json:"version"`
	Package string          `json:"package,omitempty"` // "": all that run the suite
	In      json.RawMessage `json:"in"`                // members of the case's input, enough to tell it from others
	Without []string        `json:"without,omitempty"` // members that it lacks
	At      string          `json:"at,omitempty"`      // the way into the outcome, like rows/0/name; "": all of it
	Theirs  json.RawMessage `json:"theirs,omitempty"`  // left out: Ruby has nothing there
	Ours    json.RawMessage `json:"ours,omitempty"`    // left out: nothing of the case can be tested here
	Why     string          `json:"why"`
}

// allDepartures are those of departures.json.
func allDepartures() ([]departure, error) {
	var all []departure
	return all, decode(departuresJSON, &all)
}

// departures are those of the suite in a package.
func (o owner) departures(name string) []departure {
	all, err := allDepartures()
	if err != nil {
		panic(fmt.Sprintf("departures.json: %v", err)) // a defect of this package, which only tests use
	}
	var found []departure
	for _, d := range all {
		if d.Suite == o.id && d.Version == o.version && (d.Package == "" || d.Package == name) {
			found = append(found, d)
		}
	}
	return found
}

// concerns reports whether the departure is of this case.
func (d departure) concerns(c rawCase) bool {
	has := members(c.In)
	for name, value := range members(d.In) {
		if !same(has[name], value) {
			return false
		}
	}
	return !slices.ContainsFunc(d.Without, func(name string) bool { return has[name] != nil })
}

// apply checks that an outcome has what Ruby has, and puts ours there.
func (d departure) apply(out json.RawMessage) (json.RawMessage, error) {
	var path []string
	if d.At != "" {
		path = strings.Split(d.At, "/")
	}
	return d.replace(out, path)
}

func (d departure) replace(value json.RawMessage, path []string) (json.RawMessage, error) {
	if len(path) == 0 {
		if !same(value, d.Theirs) {
			return nil, fmt.Errorf("it is listed for %s, and the case has %s", d.Theirs, value)
		}
		return d.Ours, nil
	}
	if object := members(value); object != nil {
		part, err := d.replace(object[path[0]], path[1:])
		if err != nil {
			return nil, err
		}
		object[path[0]] = part
		return json.Marshal(object)
	}
	var list []json.RawMessage
	i, err := strconv.Atoi(path[0])
	if err = errors.Join(err, json.Unmarshal(value, &list)); err != nil || i >= len(list) {
		return nil, fmt.Errorf("there is no %s in %s", path[0], value)
	}
	if list[i], err = d.replace(list[i], path[1:]); err != nil {
		return nil, err
	}
	return json.Marshal(list)
}

// same reports whether two values are equal as JSON; one that is left out equals another that is.
func same(a, b json.RawMessage) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return reflect.DeepEqual(exact(a), exact(b))
}

// exact decodes JSON with numbers as they are written.
func exact(text json.RawMessage) (value any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return string(text)
	}
	return value
}
