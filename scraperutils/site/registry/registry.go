package registry

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// Entry is a site with what reads it.
type Entry struct {
	site.Site
	Options map[string]any // its platform's, as they stand in its row
	Scraper site.Scraper
	File    string // where its row stands; "" where it is built in
}

// Config is what the registry of a family is read with.
type Config struct {
	Terms
	Platforms Platforms
	Rows      []byte // that are built in; nil is none
	File      string // what errors call them; "the built-in rows" where it is ""
}

// Registry is the known sites. It does not change after it was loaded.
type Registry struct {
	config  Config
	entries []Entry
	index   map[string]int // of entries, by label
}

// maxFile is how many bytes a file of rows has at most.
const maxFile = 4 << 20

// Load reads the built-in rows and then those of files, which add sites or replace those of the same label. A file is YAML or JSON: a
// list of rows.
//
// Each bad row is one line of the error: unknown platform, missing or unknown option, bad URL, a label twice in a file.
func Load(c Config, files ...string) (*Registry, error) {
	c.Terms = c.WithDefaults()
	r := &Registry{config: c, index: map[string]int{}}
	if err := r.add("", c.Rows); err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := scraperutils.ReadFile(file, maxFile)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", c.Sites, err)
		}
		if err := r.add(file, data); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// add puts rows in; file "" are those that are built in.
func (r *Registry) add(file string, data []byte) error {
	name := cmp.Or(file, r.config.File, "the built-in rows")
	var document, another yaml.Node
	rows := yaml.NewDecoder(bytes.NewReader(data))
	if err := rows.Decode(&document); err != nil && err != io.EOF {
		return fmt.Errorf("%s: not YAML or JSON: %w", name, err)
	}
	if rows.Decode(&another) != io.EOF {
		return fmt.Errorf("%s line %d: expected one list of rows, not several documents", name, another.Line)
	}
	if len(document.Content) == 0 {
		return nil
	}
	list := document.Content[0]
	if list.Kind != yaml.SequenceNode {
		return fmt.Errorf("%s: expected a list of rows, each with %s, platform and url", name, r.config.Site)
	}
	var problems []error
	seen := map[string]bool{}
	for _, node := range list.Content {
		entry, err := r.config.readRow(node)
		if err == nil && seen[entry.Label] {
			err = fmt.Errorf("this %s stands in the file already", r.config.Site)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s line %d, %s %s: %w", name, node.Line, r.config.Site, r.config.labelOf(node), err))
			continue
		}
		seen[entry.Label] = true
		entry.File = file
		r.put(entry)
	}
	return errors.Join(problems...)
}

func (r *Registry) put(e Entry) {
	if i, ok := r.index[e.Label]; ok {
		r.entries[i] = e
		return
	}
	r.index[e.Label] = len(r.entries)
	r.entries = append(r.entries, e)
}

// All returns the sites in the order of the files.
func (r *Registry) All() []Entry { return slices.Clone(r.entries) }
