package authorities

import (
	"fmt"
	"slices"
	"strings"
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

// nearest returns the labels that differ least from one that nobody has, at most three, none that differs in half its letters.
func (r *Registry) nearest(label string) []string {
	type candidate struct {
		label    string
		distance int
	}
	var all []candidate
	names := []string{}
	for _, e := range r.entries {
		names = append(names, e.Label)
	}
	for _, p := range Platforms() {
		names = append(names, p+"/*")
	}
	for _, name := range names {
		if d := distance(strings.ToLower(label), name); d <= len(name)/2 && d <= len(label)/2 {
			all = append(all, candidate{name, d})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.distance - b.distance })
	var best []string
	for _, c := range all {
		if len(best) < 3 && c.distance <= all[0].distance+1 {
			best = append(best, c.label)
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
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
