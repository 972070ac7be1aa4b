package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// UnknownError is labels that no site has.
type UnknownError struct {
	Terms   Terms
	Labels  []string
	Nearest []string // known labels that look like them
}

func (e *UnknownError) Error() string {
	s := "unknown " + e.Terms.Site + ": " + strings.Join(e.Labels, ", ")
	if len(e.Nearest) > 0 {
		s += " (did you mean " + strings.Join(e.Nearest, ", ") + "?)"
	}
	if e.Terms.Command == "" {
		return s
	}
	return s + "; `" + e.Terms.Command + " list` shows all"
}

// add takes a label, once.
func (e *UnknownError) add(label string, nearest []string) {
	if slices.Contains(e.Labels, label) {
		return
	}
	e.Labels = append(e.Labels, label)
	for _, known := range nearest {
		if !slices.Contains(e.Nearest, known) {
			e.Nearest = append(e.Nearest, known)
		}
	}
}

// Select returns the sites that labels name, in that order, each once. A label may have stars, each for any letters: north*. It
// may begin with a platform: icon/hobart, or icon/* for all of a platform. No labels at all select everything. Labels that
// nobody has are an *UnknownError.
func (r *Registry) Select(labels []string) ([]Entry, error) {
	if len(labels) == 0 {
		return r.All(), nil
	}
	var (
		selected []Entry
		taken    = map[string]bool{}
		unknown  = &UnknownError{Terms: r.config.Terms}
	)
	for _, label := range labels {
		matches := r.match(label)
		if len(matches) == 0 {
			unknown.add(label, r.nearest(label))
		}
		for _, e := range matches {
			if !taken[e.Label] {
				taken[e.Label] = true
				selected = append(selected, e)
			}
		}
	}
	if len(unknown.Labels) > 0 {
		return nil, unknown
	}
	return selected, nil
}

func (r *Registry) match(label string) []Entry {
	platform, rest, hasPlatform := strings.Cut(label, "/")
	if !hasPlatform {
		platform, rest = "*", label
	}
	i, ok := r.index[rest]
	switch {
	case strings.Contains(label, "*"):
		return slices.DeleteFunc(r.All(), func(e Entry) bool { return !like(platform, e.Platform) || !like(rest, e.Label) })
	case ok && (!hasPlatform || r.entries[i].Platform == platform):
		return []Entry{r.entries[i]}
	}
	return nil
}

// like reports whether a name is what a pattern says, in which each star is any letters, or none.
func like(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return name == pattern
	}
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name = after
	}
	return true
}

// nearest returns the labels that look most like one that nobody has.
func (r *Registry) nearest(label string) []string {
	var names []string
	for _, e := range r.entries {
		names = append(names, e.Label)
		if strings.Contains(label, "/") {
			names = append(names, e.Platform+"/"+e.Label)
		}
	}
	for _, p := range r.config.Platforms.Names() {
		names = append(names, p+"/*")
	}
	return scraperutils.Nearest(strings.ToLower(label), names, len(label)/2)
}

// Labels splits a comma list, as flags and variables have it. Blanks around labels do not count.
func Labels(list string) ([]string, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	var labels []string
	for label := range strings.SplitSeq(list, ",") {
		label = strings.TrimSpace(label)
		if label == "" {
			return nil, fmt.Errorf("labels %q: a label is missing between commas", list)
		}
		labels = append(labels, label)
	}
	return labels, nil
}
