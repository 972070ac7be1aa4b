package registry

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// readRow reads and checks one row of a file.
func (c Config) readRow(node *yaml.Node) (Entry, error) {
	if node.Kind != yaml.MappingNode {
		return Entry{}, fmt.Errorf("expected a row such as %s", c.Example)
	}
	common, options := c.split(node)
	s, err := c.readSite(node, common)
	if err != nil {
		return Entry{}, err
	}
	scraper, err := c.Platforms[s.Platform](s, &Options{node: options, common: c.keys(), shared: c.Shared})
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Site: s, Options: map[string]any{}, Scraper: scraper}
	return e, options.Decode(&e.Options)
}

// row is the keys that every platform has, whatever the family calls them.
type row struct {
	Site        string `yaml:"site"`
	Platform    string `yaml:"platform"`
	URL         string `yaml:"url"`
	Timeout     int    `yaml:"timeout"` // seconds
	TLSInsecure bool   `yaml:"tls_insecure"`
	Render      bool   `yaml:"render"`
	Proxy       bool   `yaml:"proxy"`

	LeastRecords *int               `yaml:"least_records"`
	LeastFilled  map[string]float64 `yaml:"least_filled"` // percent
}

// split parts a row into the keys of all platforms, under the names that they have here, and those of its own. Shared ones are its own.
func (c Config) split(node *yaml.Node) (common, options *yaml.Node) {
	common, options = &yaml.Node{Kind: yaml.MappingNode}, &yaml.Node{Kind: yaml.MappingNode}
	known, names := c.keys(), map[string]string{c.Site: "site", c.Proxy: "proxy"}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := *node.Content[i], node.Content[i+1]
		part := options
		if slices.Contains(known, key.Value) && !slices.Contains(c.Shared, key.Value) {
			part, key.Value = common, cmp.Or(names[key.Value], key.Value)
		}
		part.Content = append(part.Content, &key, value)
	}
	return common, options
}

// readSite reads the keys that the rows of all platforms have.
func (c Config) readSite(node, common *yaml.Node) (site.Site, error) {
	var r row
	err := c.checkKeys(node)
	if err == nil {
		err = common.Decode(&r)
	}
	if err != nil {
		return site.Site{}, oneLine(err)
	}
	s := site.Site{
		Label: r.Site, Platform: r.Platform, URL: r.URL, Timeout: time.Duration(r.Timeout) * time.Second, TLSInsecure: r.TLSInsecure,
		Render: r.Render, ByProxy: r.Proxy, LeastRecords: r.LeastRecords, LeastFilled: r.LeastFilled,
	}
	return s, c.check(s, r.Timeout)
}

// checkKeys refuses a key that stands in a row twice, and a shared one that is no text.
func (c Config) checkKeys(node *yaml.Node) error {
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if line, ok := lines[key.Value]; ok && slices.Contains(c.keys(), key.Value) {
			return fmt.Errorf("line %d: mapping key %q already defined at line %d", key.Line, key.Value, line)
		}
		lines[key.Value] = key.Line
		if slices.Contains(c.Shared, key.Value) {
			if err := node.Content[i+1].Decode(new(string)); err != nil {
				return err
			}
		}
	}
	return nil
}

// label is what names a recording's file and stands in commands for a shell.
var label = regexp.MustCompile(`^[\pL\pN][\pL\pM\pN_.-]*$`)

// maxLabel leaves room for what else stands in the name of a file.
const maxLabel = 100

// maxTimeout is in seconds, as that of the setting for all sites.
const maxTimeout = 3600

func (c Config) check(s site.Site, timeout int) error {
	if !label.MatchString(s.Label) || len(s.Label) > maxLabel {
		return &scraperutils.ConfigError{Name: c.Site, Value: s.Label, Accepted: fmt.Sprintf("a label of letters, digits, _, - and ., that begins with a letter or digit and has at most %d bytes", maxLabel)}
	}
	if c.Platforms[s.Platform] == nil {
		return &scraperutils.ConfigError{Name: "platform", Value: s.Platform, Accepted: "one of " + strings.Join(c.Platforms.Names(), ", ")}
	}
	if u, err := url.Parse(s.URL); err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &scraperutils.ConfigError{Name: "url", Value: scraperutils.ShownLink(s.URL), Accepted: "one that begins with http:// or https:// and a host"}
	}
	if timeout < 0 || timeout > maxTimeout {
		return &scraperutils.ConfigError{Name: "timeout", Value: fmt.Sprint(timeout), Accepted: fmt.Sprintf("a number of seconds, 0 to %d", maxTimeout)}
	}
	return checkLeast(s)
}

func checkLeast(s site.Site) error {
	if s.LeastRecords != nil && *s.LeastRecords < 0 {
		return &scraperutils.ConfigError{Name: "least_records", Value: fmt.Sprint(*s.LeastRecords), Accepted: "a number of records, 0 for any"}
	}
	for _, field := range slices.Sorted(maps.Keys(s.LeastFilled)) {
		if percent := s.LeastFilled[field]; !(percent >= 0 && percent <= 100) {
			return &scraperutils.ConfigError{Name: "least_filled: " + field, Value: fmt.Sprint(percent), Accepted: "a percentage, 0 to 100"}
		}
	}
	return nil
}

// labelOf names a row that can't be read.
func (c Config) labelOf(node *yaml.Node) string {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == c.Site && node.Content[i+1].Value != "" {
			return node.Content[i+1].Value
		}
	}
	return "(without label)"
}
