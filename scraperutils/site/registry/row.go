package registry

import (
	"errors"
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
	s, err := c.readSite(common)
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

// split parts a row into the keys of all platforms and those of its own. Shared ones are among both.
func (c Config) split(node *yaml.Node) (common, options *yaml.Node) {
	common, options = &yaml.Node{Kind: yaml.MappingNode}, &yaml.Node{Kind: yaml.MappingNode}
	known := c.keys()
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, pair := node.Content[i].Value, node.Content[i:i+2]
		if slices.Contains(known, key) {
			common.Content = append(common.Content, pair...)
		}
		if !slices.Contains(known, key) || slices.Contains(c.Shared, key) {
			options.Content = append(options.Content, pair...)
		}
	}
	return common, options
}

// readSite reads the keys that the rows of all platforms have.
func (c Config) readSite(common *yaml.Node) (site.Site, error) {
	var (
		s       site.Site
		timeout int // seconds
		values  map[string]yaml.Node
	)
	fields := map[string]any{
		c.Site: &s.Label, "platform": &s.Platform, "url": &s.URL, "timeout": &timeout, "tls_insecure": &s.TLSInsecure, "render": &s.Render,
		c.Proxy: &s.ByProxy, "least_records": &s.LeastRecords, "least_filled": &s.LeastFilled,
	}
	for _, key := range c.Shared {
		fields[key] = new(string)
	}
	if err := common.Decode(&values); err != nil { // a key twice
		return s, oneLine(err)
	}
	var problems []string
	for i := 0; i+1 < len(common.Content); i += 2 {
		if err := common.Content[i+1].Decode(fields[common.Content[i].Value]); err != nil {
			problems = append(problems, oneLine(err).Error())
		}
	}
	if len(problems) > 0 {
		return s, errors.New(strings.Join(problems, "; "))
	}
	s.Timeout = time.Duration(timeout) * time.Second
	return s, c.check(s, timeout)
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
