package authorities

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// row is the keys that every platform has. The rest of a row is the platform's options.
type row struct {
	Authority       string `yaml:"authority"`
	Platform        string `yaml:"platform"`
	URL             string `yaml:"url"`
	State           string `yaml:"state"`
	Timeout         int    `yaml:"timeout"` // seconds
	TLSInsecure     bool   `yaml:"tls_insecure"`
	Render          bool   `yaml:"render"`
	AustralianProxy bool   `yaml:"australian_proxy"`

	LeastRecords *int               `yaml:"least_records"`
	LeastFilled  map[string]float64 `yaml:"least_filled"` // percent
}

// readRow reads and checks one row of a file.
func readRow(node *yaml.Node) (Entry, error) {
	if node.Kind != yaml.MappingNode {
		return Entry{}, errors.New("expected a row such as {authority: kyogle, platform: icon, url: https://…}")
	}
	common, options := split(node)
	var r row
	if err := common.Decode(&r); err != nil {
		return Entry{}, oneLine(err)
	}
	if err := r.check(); err != nil {
		return Entry{}, err
	}
	a := scraperutils.Authority{
		Label: r.Authority, Platform: r.Platform, URL: r.URL, State: r.State,
		Timeout: time.Duration(r.Timeout) * time.Second, TLSInsecure: r.TLSInsecure, Render: r.Render, AustralianProxy: r.AustralianProxy,
		LeastRecords: r.LeastRecords, LeastFilled: r.LeastFilled,
	}
	scraper, err := platforms[r.Platform](a, options)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Authority: a, Options: map[string]any{}, Scraper: scraper}
	return e, options.Decode(&e.Options)
}

// split parts a row into the keys of all platforms and those of its own.
func split(node *yaml.Node) (common, options *yaml.Node) {
	common, options = &yaml.Node{Kind: yaml.MappingNode}, &yaml.Node{Kind: yaml.MappingNode}
	known := keys(reflect.TypeFor[row]())
	for i := 0; i+1 < len(node.Content); i += 2 {
		part := options
		if slices.Contains(known, node.Content[i].Value) {
			part = common
		}
		part.Content = append(part.Content, node.Content[i], node.Content[i+1])
	}
	return common, options
}

// label is what names a recording's file and stands in commands for a shell.
var label = regexp.MustCompile(`^[\pL\pN][\pL\pM\pN_.-]*$`)

// maxLabel leaves room for what else stands in the name of a file.
const maxLabel = 100

// maxTimeout is in seconds, as that of MORPH_CLIENT_TIMEOUT.
const maxTimeout = 3600

func (r row) check() error {
	if !label.MatchString(r.Authority) || len(r.Authority) > maxLabel {
		return &scraperutils.ConfigError{Name: "authority", Value: r.Authority, Accepted: fmt.Sprintf("a label of letters, digits, _, - and ., that begins with a letter or digit and has at most %d bytes", maxLabel)}
	}
	if platforms[r.Platform] == nil {
		return &scraperutils.ConfigError{Name: "platform", Value: r.Platform, Accepted: "one of " + strings.Join(Platforms(), ", ")}
	}
	if u, err := url.Parse(r.URL); err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &scraperutils.ConfigError{Name: "url", Value: scraperutils.ShownLink(r.URL), Accepted: "one that begins with http:// or https:// and a host"}
	}
	if r.Timeout < 0 || r.Timeout > maxTimeout {
		return &scraperutils.ConfigError{Name: "timeout", Value: fmt.Sprint(r.Timeout), Accepted: fmt.Sprintf("a number of seconds, 0 to %d", maxTimeout)}
	}
	return r.checkLeast()
}

func (r row) checkLeast() error {
	if r.LeastRecords != nil && *r.LeastRecords < 0 {
		return &scraperutils.ConfigError{Name: "least_records", Value: fmt.Sprint(*r.LeastRecords), Accepted: "a number of records, 0 for any"}
	}
	for _, field := range slices.Sorted(maps.Keys(r.LeastFilled)) {
		if percent := r.LeastFilled[field]; !(percent >= 0 && percent <= 100) {
			return &scraperutils.ConfigError{Name: "least_filled: " + field, Value: fmt.Sprint(percent), Accepted: "a percentage, 0 to 100"}
		}
	}
	return nil
}

// decode fills a platform's options. A key that is not one of them is an error.
func decode(node *yaml.Node, options any) error {
	known := keys(reflect.TypeOf(options).Elem())
	for i := 0; i+1 < len(node.Content); i += 2 {
		if key := node.Content[i].Value; !slices.Contains(known, key) {
			return &scraperutils.ConfigError{Name: "option", Value: key, Accepted: "one of " + strings.Join(append(known, keys(reflect.TypeFor[row]())...), ", ")}
		}
	}
	if err := node.Decode(options); err != nil {
		return oneLine(err)
	}
	return nil
}

// keys returns the YAML keys of a struct's fields.
func keys(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("yaml"))
	}
	return names
}

// oneLine takes the line breaks out of the YAML library's lists of errors.
func oneLine(err error) error {
	return errors.New(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "), "\n  ", "; "))
}

// labelOf names a row that can't be read.
func labelOf(node *yaml.Node) string {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == "authority" && node.Content[i+1].Value != "" {
			return node.Content[i+1].Value
		}
	}
	return "(without label)"
}
