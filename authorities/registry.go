package authorities

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
)

//go:embed authorities.yml
var builtIn []byte

// Entry is an authority with what reads its register.
type Entry struct {
	scraperutils.Authority
	Options map[string]any // its platform's, as they stand in its row
	Scraper register.Scraper
	File    string // where its row stands; "" where it is built in
}

// Registry is the known authorities. It does not change after it was loaded.
type Registry struct {
	entries []Entry
	index   map[string]int // of entries, by label
}

// maxFile is how many bytes a file of rows has at most: a hundred times those of the built-in ones.
const maxFile = 4 << 20

// Load reads the built-in rows and then those of files, which add authorities or replace those of the same label. A file is
// YAML or JSON: a list of rows with the keys of authorities.yml.
//
// Each bad row is one line of the error: unknown platform, missing or unknown option, bad URL, a label twice in a file.
func Load(files ...string) (*Registry, error) {
	r := &Registry{index: map[string]int{}}
	if err := r.add("", builtIn); err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := scraperutils.ReadFile(file, maxFile)
		if err != nil {
			return nil, fmt.Errorf("read authorities: %w", err)
		}
		if err := r.add(file, data); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// add puts rows in; file "" are those that are built in.
func (r *Registry) add(file string, data []byte) error {
	name := cmp.Or(file, "authorities.yml")
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
		return fmt.Errorf("%s: expected a list of rows, each with authority, platform and url", name)
	}
	var problems []error
	seen := map[string]bool{}
	for _, node := range list.Content {
		entry, err := readRow(node)
		if err == nil && seen[entry.Label] {
			err = errors.New("this authority stands in the file already")
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s line %d, authority %s: %w", name, node.Line, labelOf(node), err))
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

// All returns the authorities in the order of the files.
func (r *Registry) All() []Entry { return slices.Clone(r.entries) }
