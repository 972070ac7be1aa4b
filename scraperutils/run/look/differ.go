package look

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Difference is the first page of a tape that is not what it was in a good one.
type Difference struct {
	Page  Exchange
	Good  Exchange // its counterpart; its Number is 0 where there is none
	Parts []Changed
	Why   string // what else is different: its status, or that nobody asked for such a page; or ""
}

// Changed is a kind of things of a page that have come or gone.
type Changed struct {
	Kind string
	Gone []string // that every such page of the good tape has
	New  []string // that no such page of the good tape has
}

// Selector returns a selector that finds what is new on the page, or what is there of tables and forms at all.
func (d *Difference) Selector() string {
	for _, c := range d.Parts {
		if (c.Kind == "tables" || c.Kind == "forms") && len(c.New) > 0 {
			return c.New[0]
		}
	}
	if d.Page.page == nil {
		return "*"
	}
	return OutlineOf(d.Page.page).Selector()
}

// Differ compares the pages of a tape with those of a good one, in order. A page is held against all good pages at the same address,
// whatever the values in its query, for lists and records differ from day to day: what is gone was on each of them, and what is
// new on none. Numbers within names do not count. It returns nil if nothing is different as far as the tape goes.
func Differ(tape, good *Tape) *Difference {
	byAddress := map[string][]Exchange{}
	for _, e := range good.exchanges {
		if e.IsPage() {
			byAddress[address(e)] = append(byAddress[address(e)], e)
		}
	}
	for _, e := range tape.exchanges {
		if e.Superseded || !e.IsPage() && e.Failure == "" {
			continue
		}
		if d := compare(e, byAddress[address(e)]); d != nil {
			return d
		}
	}
	return nil
}

// address is what pages have in common that are the same but for their values.
func address(e Exchange) string {
	return e.Method + " " + e.URL.Host + numbers.ReplaceAllString(e.URL.Path, "#") + "?" + strings.Join(slices.Sorted(maps.Keys(e.URL.Query())), "&")
}

// numbers are parts of names that count: rows of a table, sessions.
var numbers = regexp.MustCompile(`[0-9]+`)

func compare(e Exchange, good []Exchange) *Difference {
	switch {
	case e.Failure != "":
		return &Difference{Page: e, Why: "there was no answer: " + e.Failure}
	case len(good) == 0:
		return &Difference{Page: e, Why: "no page at such an address is in the good recording: the way there has changed"}
	}
	d := &Difference{Page: e, Good: good[0]}
	if !slices.ContainsFunc(good, func(g Exchange) bool { return g.Status == e.Status }) {
		d.Why = fmt.Sprintf("its status is %d, and was %d", e.Status, good[0].Status)
	}
	now := OutlineOf(e.page).Parts()
	before := make([][]Part, len(good))
	for i, g := range good {
		before[i] = OutlineOf(g.page).Parts()
	}
	for k, part := range now {
		c := Changed{Kind: part.Kind}
		for _, name := range before[0][k].Names {
			inAll := !slices.ContainsFunc(before, func(parts []Part) bool { return !has(parts[k], name) })
			if inAll && !has(part, name) {
				c.Gone = append(c.Gone, name)
			}
		}
		for _, name := range part.Names {
			if !slices.ContainsFunc(before, func(parts []Part) bool { return has(parts[k], name) }) {
				c.New = append(c.New, name)
			}
		}
		if len(c.Gone)+len(c.New) > 0 {
			d.Parts = append(d.Parts, c)
		}
	}
	if d.Why == "" && len(d.Parts) == 0 {
		return nil
	}
	return d
}

func has(p Part, name string) bool {
	name = numbers.ReplaceAllString(name, "#")
	return slices.ContainsFunc(p.Names, func(n string) bool { return numbers.ReplaceAllString(n, "#") == name })
}
