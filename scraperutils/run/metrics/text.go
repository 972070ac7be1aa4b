package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// family is a gauge and its samples.
type family struct {
	name, help string
	labels     []string
	samples    map[string]float64 // by labels as they are written
}

func newFamily(name, help string, labels ...string) family {
	return family{name: name, help: help, labels: labels, samples: map[string]float64{}}
}

// add adds to the sample of some values of the labels.
func (f family) add(n float64, values ...string) {
	pairs := make([]string, len(values))
	for i, v := range values {
		pairs[i] = f.labels[i] + `="` + escaped.Replace(strings.ToValidUTF8(v, string(utf8.RuneError))) + `"`
	}
	f.samples[strings.Join(pairs, ",")] += n
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// encoder writes families.
type encoder struct{ text bytes.Buffer }

// write leaves out a family without samples.
func (e *encoder) write(f family) {
	if len(f.samples) == 0 {
		return
	}
	fmt.Fprintf(&e.text, "# HELP %s %s\n# TYPE %s gauge\n", f.name, f.help, f.name)
	for _, labels := range slices.Sorted(maps.Keys(f.samples)) {
		fmt.Fprintf(&e.text, "%s{%s} %s\n", f.name, labels, strconv.FormatFloat(f.samples[labels], 'f', -1, 64))
	}
}
