package authorities

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// UnknownError is labels that no authority has.
type UnknownError struct {
	Labels  []string
	Nearest []string // known labels that look like them
}

func (e *UnknownError) Error() string {
	s := "unknown authority: " + strings.Join(e.Labels, ", ")
	if len(e.Nearest) > 0 {
		s += " (did you mean " + strings.Join(e.Nearest, ", ") + "?)"
	}
	return s + "; `scrape list` shows all"
}

// Select returns the authorities that labels name, in that order, each once. A label may be platform/*, for all of a
// platform, or platform/label. No labels at all select everything. Labels that nobody has are an *UnknownError.
func (r *Registry) Select(labels []string) ([]Entry, error) {
	if len(labels) == 0 {
		return r.All(), nil
	}
	var (
		selected []Entry
		taken    = map[string]bool{}
		unknown  = &UnknownError{}
	)
	for _, label := range labels {
		matches := r.match(label)
		if len(matches) == 0 {
			unknown.Labels = append(unknown.Labels, label)
			unknown.Nearest = append(unknown.Nearest, r.nearest(label)...)
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
		platform, rest = "", label
	}
	if rest == "*" && hasPlatform {
		return slices.DeleteFunc(r.All(), func(e Entry) bool { return e.Platform != platform })
	}
	if i, ok := r.index[rest]; ok && (!hasPlatform || r.entries[i].Platform == platform) {
		return []Entry{r.entries[i]}
	}
	return nil
}

// nearest returns the labels that look most like one that nobody has.
func (r *Registry) nearest(label string) []string {
	var names []string
	for _, e := range r.entries {
		names = append(names, e.Label)
	}
	for _, p := range Platforms() {
		names = append(names, p+"/*")
	}
	return scraperutils.Nearest(strings.ToLower(label), names, len(label)/2)
}

// Labels splits a comma list, as flags and MORPH_AUTHORITIES have it. Blanks around labels do not count.
func Labels(list string) ([]string, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	var labels []string
	for label := range strings.SplitSeq(list, ",") {
		label = strings.TrimSpace(label)
		if label == "" {
			return nil, fmt.Errorf("authorities %q: a label is missing between commas", list)
		}
		labels = append(labels, label)
	}
	return labels, nil
}
