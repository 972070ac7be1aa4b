package behavior

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed step.js
var script string

// Step is what one step has done, or wants to be done.
type Step struct {
	Action   int      `json:"action"`   // its number in Behavior.Actions
	Did      string   `json:"did"`      // click, mouseover, play, scroll, remove, or links alone
	Selector string   `json:"selector"` // of what; "" for the page
	X        *float64 `json:"x"`        // where the mouse is to do it, in the frame's own pixels; nil: it is done
	Y        *float64 `json:"y"`
	Counts   bool     `json:"counts"` // it is one time of Action.Limit
	Links    []string `json:"links"`  // that the step before has brought, where Action.ExtractOutlinks
}

// String names the step, for people.
func (s Step) String() string {
	if s.Selector == "" {
		return s.Did
	}
	return s.Did + " " + s.Selector
}

// Script returns an expression that does one step of a behavior in a frame where it comes to a Step as JSON, or "null" where there is nothing
// to do. Counts are how often each action was done, in all frames.
func (b Behavior) Script(counts []int) string {
	actions, _ := json.Marshal(b.Actions) // strings, numbers and booleans
	done, _ := json.Marshal(counts)
	return fmt.Sprintf("JSON.stringify((%s)(%s, %s))", script, actions, done)
}
