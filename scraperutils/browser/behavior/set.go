package behavior

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// DefaultInterval is the time between two steps.
const DefaultInterval = 300 * time.Millisecond

// Set holds behaviors in order. The first one whose pattern matches a page's URL is the page's. A Set is immutable.
type Set struct{ entries []entry }

// entry is one behavior of a set.
type entry struct {
	pattern *regexp.Regexp
	Behavior
}

// Behavior says what to do with a page.
type Behavior struct {
	Actions  []Action
	Interval time.Duration // time between two steps
}

// Action is one thing to do to all elements that it finds.
type Action struct {
	Selector            string `json:"selector,omitempty" yaml:"selector"`                       // CSS selector of the elements to act on
	Do                  string `json:"do" yaml:"do"`                                             // click (the default), mouseover, hover, play, scroll
	ChildSelector       string `json:"childSelector,omitempty" yaml:"childSelector"`             // clicked after each of them, as long as there are any
	CloseSelector       string `json:"closeSelector,omitempty" yaml:"closeSelector"`             // clicked wherever it is visible
	RemoveSelector      string `json:"rmSelector,omitempty" yaml:"rmSelector"`                   // removed wherever it is visible
	RepeatSameElement   bool   `json:"repeatSameElement,omitempty" yaml:"repeatSameElement"`     // act on an element as long as it is visible
	RepeatUntilSelector string `json:"repeatUntilSelector,omitempty" yaml:"repeatUntilSelector"` // the same, until this is visible
	FirstMatchOnly      bool   `json:"firstMatchOnly,omitempty" yaml:"firstMatchOnly"`           // act only on the first element
	Limit               int    `json:"limit,omitempty" yaml:"limit"`                             // most times to act; 0 is any number
	ExtractOutlinks     bool   `json:"extractOutlinks,omitempty" yaml:"extractOutlinks"`         // collect links after each time, because they may be gone later
}

// These are the things that an action can do.
const (
	Click  = "click"
	Hover  = "mouseover" // hover is another name for it
	Play   = "play"
	Scroll = "scroll"
)

//go:embed default.yaml
var builtIn []byte

// Default returns the built-in set: it opens what says "more", plays media, hovers over menus, and scrolls.
func Default() *Set {
	s, err := Parse(builtIn)
	if err != nil {
		panic(err) // it is part of the program
	}
	return s
}

// For returns what to do with a page. Parameters, such as those of a message, replace those of the matching entry by name; For ignores
// unknown names. A page that no entry matches is scrolled. The error says what is wrong with a parameter.
func (s *Set) For(url string, replaced map[string]any) (Behavior, error) {
	b := Behavior{Interval: DefaultInterval}
	for _, e := range s.entries {
		if e.pattern.MatchString(url) {
			b = e.Behavior
			break
		}
	}
	if len(replaced) > 0 {
		text, err := json.Marshal(replaced)
		if err != nil {
			return b, fmt.Errorf("behavior parameters: %w", err)
		}
		var p parameters
		if err := json.Unmarshal(text, &p); err != nil {
			return b, fmt.Errorf("behavior parameters: %w", err)
		}
		own, err := p.behavior()
		if err != nil {
			return b, fmt.Errorf("behavior parameters: %w", err)
		}
		if own.Actions != nil {
			b.Actions = own.Actions
		}
		if p.Interval > 0 {
			b.Interval = own.Interval
		}
	}
	return b.complete(), nil
}

// complete adds what every behavior does: it scrolls in the end. One without actions has those of the built-in set.
func (b Behavior) complete() Behavior {
	if b.Actions == nil {
		all := Default().entries
		b.Actions = all[len(all)-1].Actions
	}
	if !slices.ContainsFunc(b.Actions, func(a Action) bool { return a.Do == Scroll }) {
		b.Actions = append(slices.Clip(b.Actions), Action{Do: Scroll})
	}
	return b
}
