package registry

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// Factory makes the scraper of one site from its row and the options of its platform.
type Factory func(site.Site, *Options) (site.Scraper, error)

// Platforms is each platform of a family by its name.
type Platforms map[string]Factory

// Names returns the names of the platforms, in order.
func (p Platforms) Names() []string { return slices.Sorted(maps.Keys(p)) }

// Options is what a row has beside the keys of all platforms.
type Options struct {
	node   *yaml.Node
	common []string // the keys of all platforms, for errors
	shared []string // those among them that a platform may make use of
}

// Platform returns the Factory of a platform whose options are a struct with YAML tags. A key that is not one of them is an error, and
// so is what build says of the options.
func Platform[O any, S site.Scraper](build func(site.Site, O) (S, error)) Factory {
	return func(s site.Site, options *Options) (site.Scraper, error) {
		var o O
		if err := options.decode(&o); err != nil {
			return nil, err
		}
		scraper, err := build(s, o)
		if err != nil {
			return nil, err
		}
		return scraper, nil
	}
}

// decode fills a platform's options. A key that is not one of them is an error.
func (o *Options) decode(into any) error {
	known := keysOf(reflect.TypeOf(into).Elem())
	own := slices.DeleteFunc(slices.Clone(known), func(key string) bool { return slices.Contains(o.shared, key) })
	for i := 0; i+1 < len(o.node.Content); i += 2 {
		if key := o.node.Content[i].Value; !slices.Contains(known, key) && !slices.Contains(o.shared, key) {
			return &scraperutils.ConfigError{Name: "option", Value: key, Accepted: "one of " + strings.Join(append(own, o.common...), ", ")}
		}
	}
	if err := o.node.Decode(into); err != nil {
		return oneLine(err)
	}
	return nil
}

// keysOf returns the YAML keys of a struct's fields, those of structs in line among them.
func keysOf(t reflect.Type) []string {
	var names []string
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, rest, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(rest, "inline"):
			names = append(names, keysOf(field.Type)...)
		case name == "-" || !field.IsExported():
		case name == "": // as the library has it
			names = append(names, strings.ToLower(field.Name))
		default:
			names = append(names, name)
		}
	}
	return names
}

// oneLine takes the line breaks out of the YAML library's lists of errors.
func oneLine(err error) error {
	return errors.New(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "), "\n  ", "; "))
}
