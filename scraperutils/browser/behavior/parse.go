package behavior

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// file is an entry as it is written.
type file struct {
	URLRegex    string     `yaml:"url_regex"`
	Template    string     `yaml:"behavior_js_template"`
	Script      string     `yaml:"behavior_js"`
	Parameters  parameters `yaml:"default_parameters"`
	IdleTimeout float64    `yaml:"request_idle_timeout_sec"` // brozzler's: here a page is done by a rule of its own
}

// parameters are those of the templates that are understood.
type parameters struct {
	Actions       []Action `yaml:"actions" json:"actions"`
	Interval      float64  `yaml:"interval" json:"interval"` // milliseconds
	Click         string   `yaml:"click_css_selector" json:"click_css_selector"`
	ClickUntil    bool     `yaml:"click_until_hard_timeout" json:"click_until_hard_timeout"`
	Do            string   `yaml:"sdo_css_selector" json:"sdo_css_selector"`
	DoAction      string   `yaml:"sdo_action" json:"sdo_action"`
	DoUntil       bool     `yaml:"sdo_until_hard_timeout" json:"sdo_until_hard_timeout"`
	Hover         string   `yaml:"mouseover_css_selector" json:"mouseover_css_selector"`
	HoverUntil    bool     `yaml:"mouseover_until_hard_timeout" json:"mouseover_until_hard_timeout"`
	FirstMatch    bool     `yaml:"firstMatchOnly" json:"firstMatchOnly"`
	CloseSelector string   `yaml:"closeSelector" json:"closeSelector"`
}

// Parse reads a set from YAML in brozzler's format. The error names the entry and what is accepted.
func Parse(text []byte) (*Set, error) {
	var list yaml.Node
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("behaviors: %w", err)
	}
	entries := &list
	if entries.Kind == yaml.DocumentNode && len(entries.Content) > 0 {
		entries = entries.Content[0]
	}
	if entries.Kind == yaml.MappingNode && len(entries.Content) == 2 && entries.Content[0].Value == "behaviors" {
		entries = entries.Content[1]
	}
	if entries.Kind != yaml.SequenceNode || len(entries.Content) == 0 {
		return nil, errors.New("behaviors: expected a list of entries with url_regex")
	}
	s := &Set{}
	for i, node := range entries.Content {
		e, err := newEntry(node)
		if err != nil {
			return nil, fmt.Errorf("behaviors: entry %d (line %d): %w", i+1, node.Line, err)
		}
		s.entries = append(s.entries, e)
	}
	return s, nil
}

func newEntry(node *yaml.Node) (entry, error) {
	text, err := yaml.Marshal(node)
	if err != nil {
		return entry{}, err
	}
	var f file
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return entry{}, fmt.Errorf("%w: expected url_regex, behavior_js_template, default_parameters (actions, interval) and request_idle_timeout_sec", oneLine(err))
	}
	if f.URLRegex == "" {
		return entry{}, errors.New("expected url_regex")
	}
	pattern, err := regexp.Compile(f.URLRegex)
	if err != nil {
		return entry{}, fmt.Errorf("url_regex: %w: expected a pattern as RE2 has them", err)
	}
	b, err := f.Parameters.behavior()
	return entry{pattern, b}, err
}

// oneLine makes one line of a YAML error, without the lines that it counts in an entry.
func oneLine(err error) error {
	var typed *yaml.TypeError
	if !errors.As(err, &typed) || len(typed.Errors) == 0 {
		return err
	}
	_, what, found := strings.Cut(typed.Errors[0], ": ")
	if !found {
		what = typed.Errors[0]
	}
	what, _, _ = strings.Cut(what, " in type ")
	return errors.New(what)
}

// behavior makes one of parameters. Without any it is the built-in one, which is empty here and filled in by For.
func (p parameters) behavior() (Behavior, error) {
	b := Behavior{Actions: slices.Clone(p.Actions), Interval: DefaultInterval}
	if p.Interval < 0 || p.Interval > 60_000 {
		return b, fmt.Errorf("interval %g: expected milliseconds, 60000 at most", p.Interval)
	}
	if p.Interval > 0 {
		b.Interval = time.Duration(p.Interval * float64(time.Millisecond))
	}
	if p.Click != "" {
		b.Actions = append(b.Actions, Action{Selector: p.Click, Do: Click, RepeatSameElement: p.ClickUntil, FirstMatchOnly: p.FirstMatch, CloseSelector: p.CloseSelector})
	}
	if p.Do != "" {
		b.Actions = append(b.Actions, Action{Selector: p.Do, Do: p.DoAction, RepeatSameElement: p.DoUntil, FirstMatchOnly: p.FirstMatch, CloseSelector: p.CloseSelector})
	}
	if p.Hover != "" {
		b.Actions = append(b.Actions, Action{Selector: p.Hover, Do: Hover, RepeatSameElement: p.HoverUntil})
	}
	for i := range b.Actions {
		if err := b.Actions[i].check(); err != nil {
			return b, fmt.Errorf("action %d: %w", i+1, err)
		}
	}
	return b, nil
}

// check fills in what an action does.
func (a *Action) check() error {
	switch a.Do {
	case "":
		a.Do = Click
	case "hover":
		a.Do = Hover
	case Click, Hover, Play, Scroll:
	default:
		return fmt.Errorf("do %q: expected click, mouseover, hover, play or scroll", a.Do)
	}
	if a.Selector == "" && a.Do != Scroll && a.CloseSelector == "" && a.RemoveSelector == "" {
		return errors.New("expected a selector")
	}
	if a.Limit < 0 {
		return fmt.Errorf("limit %d: expected 0 (none) or more", a.Limit)
	}
	return nil
}
