package behavior

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed step.js
var script string

// Step is what one step did, or wants done.
type Step struct {
	Action   int      `json:"action"`   // its index in Behavior.Actions
	Did      string   `json:"did"`      // click, mouseover, play, scroll, remove, or just links
	Selector string   `json:"selector"` // of the element; "" for the page
	X        *float64 `json:"x"`        // where the mouse must do it, in the frame's own pixels; nil: it is done
	Y        *float64 `json:"y"`
	Counts   bool     `json:"counts"` // it counts toward Action.Limit
	Links    []string `json:"links"`  // the links that the previous step brought, with Action.ExtractOutlinks
}

// String describes the step for people.
func (s Step) String() string {
	if s.Selector == "" {
		return s.Did
	}
	return s.Did + " " + s.Selector
}

// Script returns a JavaScript expression that does one step of a behavior in a frame. Its value is a Step as JSON, or "null" if there is
// nothing to do. Counts says how often each action was done, in all frames.
func (b Behavior) Script(counts []int) string {
	actions, _ := json.Marshal(b.Actions) // strings, numbers and booleans
	done, _ := json.Marshal(counts)
	return fmt.Sprintf("JSON.stringify((%s)(%s, %s))", script, actions, done)
}
