package cassette

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Load reads a recording. Its error is one line that names the file, the interaction (counted from 1) with its line, and
// what is expected there; it wraps that of the file system. Base64 of bodies is checked when they are read.
func Load(path string) (*Cassette, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load cassette: %w", err)
	}
	c, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("load cassette %s: %w", path, err)
	}
	c.Path = path
	return c, nil
}

func parse(data []byte) (*Cassette, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil, errors.New("the file is empty; expected a mapping with http_interactions")
	}
	r := &nodeReader{left: len(data)}
	return r.cassette(doc.Content[0])
}

func (r *nodeReader) cassette(n *yaml.Node) (*Cassette, error) {
	top, err := r.mapping(n, "the document")
	if err != nil {
		return nil, err
	}
	var list, failures *yaml.Node
	c := &Cassette{}
	for key, value := range top {
		switch key {
		case "http_interactions":
			list = value
		case "failures":
			failures = value
		case "truncated":
			c.Truncated = value.Value == "true"
		case "missing":
			c.Missing, _ = strconv.Atoi(value.Value)
		}
	}
	if list == nil {
		return nil, errors.New("it has no http_interactions; expected a list of them")
	}
	items, err := r.list(list, "http_interactions")
	if err != nil {
		return nil, err
	}
	c.Interactions = make([]Interaction, len(items))
	for i, item := range items {
		if err := r.interaction(item, &c.Interactions[i]); err != nil {
			return nil, fmt.Errorf("interaction %d (line %d): %w", i+1, item.Line, err)
		}
	}
	if failures != nil && !isNull(failures) {
		c.Failures, err = r.failures(failures, len(items))
	}
	return c, err
}

func (r *nodeReader) failures(n *yaml.Node, interactions int) ([]Failure, error) {
	items, err := r.list(n, "failures")
	if err != nil {
		return nil, err
	}
	all := make([]Failure, len(items))
	for i, item := range items {
		err := r.failure(item, &all[i])
		if err == nil {
			err = all[i].check(interactions)
		}
		if err != nil {
			return nil, fmt.Errorf("failure %d (line %d): %w", i+1, item.Line, err)
		}
	}
	return all, nil
}

func (r *nodeReader) failure(n *yaml.Node, into *Failure) error {
	pairs, err := r.mapping(n, "it")
	if err != nil {
		return err
	}
	for key, value := range pairs {
		var text string
		switch key {
		case "method":
			into.Request.Method, err = r.text(value, key)
			into.Request.Method = strings.ToUpper(into.Request.Method)
		case "uri":
			into.Request.URL, err = r.text(value, key)
		case "class":
			text, err = r.text(value, key)
			into.Class = scraperutils.Class(text)
		case "message":
			into.Message, err = r.text(value, key)
		case "after":
			into.After, err = r.number(value, key)
		case "failed_at":
			into.At, err = r.time(value, key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *nodeReader) number(n *yaml.Node, name string) (int, error) {
	text, err := r.text(n, name)
	if err != nil {
		return 0, err
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s is %q; expected a number such as 200", name, text)
	}
	return number, nil
}

func (r *nodeReader) interaction(n *yaml.Node, into *Interaction) error {
	pairs, err := r.mapping(n, "it")
	if err != nil {
		return err
	}
	into.Response.Status = noStatus
	for key, value := range pairs {
		switch key {
		case "request":
			err = r.request(value, &into.Request)
		case "response":
			err = r.response(value, &into.Response)
		case "recorded_at":
			into.RecordedAt, err = r.time(value, "recorded_at")
		case "superseded":
			into.Superseded = resolve(value).Value == "true"
		}
		if err != nil {
			return err
		}
	}
	return into.check()
}

func (r *nodeReader) request(n *yaml.Node, into *Request) error {
	pairs, err := r.mapping(n, "request")
	if err != nil {
		return err
	}
	for key, value := range pairs {
		switch key {
		case "method":
			into.Method, err = r.text(value, "request.method")
			into.Method = strings.ToUpper(into.Method)
		case "uri":
			into.URL, err = r.text(value, "request.uri")
		case "headers":
			into.Header, err = r.header(value, "request.headers")
		case "body":
			into.Body, err = r.body(value, "request.body")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *nodeReader) response(n *yaml.Node, into *Response) error {
	pairs, err := r.mapping(n, "response")
	if err != nil {
		return err
	}
	for key, value := range pairs {
		switch key {
		case "status":
			err = r.status(value, into)
		case "headers":
			into.Header, err = r.header(value, "response.headers")
		case "body":
			into.Body, err = r.body(value, "response.body")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *nodeReader) status(n *yaml.Node, into *Response) error {
	pairs, err := r.mapping(n, "response.status")
	if err != nil {
		return err
	}
	for key, value := range pairs {
		switch key {
		case "message":
			into.Message, err = r.text(value, "response.status.message")
		case "code":
			into.Status, err = r.number(value, "response.status.code")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// header reads lists of values by name; a value alone counts as a list of one.
func (r *nodeReader) header(n *yaml.Node, name string) (http.Header, error) {
	if isNull(n) {
		return nil, nil
	}
	pairs, err := r.mapping(n, name)
	if err != nil {
		return nil, err
	}
	h := http.Header{}
	for key, value := range pairs {
		if isNull(value) {
			continue
		}
		values := []*yaml.Node{value}
		if value.Kind != yaml.ScalarNode {
			if values, err = r.list(value, name+"."+key); err != nil {
				return nil, err
			}
		}
		for _, v := range values {
			s, err := r.text(v, name+"."+key)
			if err != nil {
				return nil, err
			}
			h.Add(key, s)
		}
	}
	return h, nil
}

func (r *nodeReader) time(n *yaml.Node, name string) (time.Time, error) {
	s, err := r.text(n, name)
	if err != nil || s == "" {
		return time.Time{}, err
	}
	for _, layout := range []string{time.RFC1123, time.RFC1123Z, time.RFC3339, "2006-01-02 15:04:05 Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is %q; expected a time such as Tue, 14 May 2019 14:00:00 GMT", name, s)
}
