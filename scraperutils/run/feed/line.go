package feed

import "time"

// Line is one line of a feed. Each has one of its parts.
type Line struct {
	Run      *Run      `json:"run,omitempty"`      // the run begins
	Statuses []Status  `json:"statuses,omitempty"` // of operations of which something has changed
	Requests []Request `json:"requests,omitempty"` // that were answered
	Dropped  int       `json:"dropped,omitempty"`  // requests that were left out since the line before
	End      *End      `json:"end,omitempty"`      // the run has ended; nothing comes after it
}

// Run is what is known of a run when it begins.
type Run struct {
	At      time.Time `json:"at"`      // by which the log knows it
	Process int       `json:"process"` // of its process
	Total   int       `json:"total"`   // operations
	Source  string    `json:"source"`  // network, fixtures or replay
}

// Status is what one operation is doing.
type Status struct {
	Label    string    `json:"label"`
	State    State     `json:"state"`
	Host     string    `json:"host,omitempty"`    // of its latest request
	Rule     string    `json:"rule,omitempty"`    // why it waits
	Until    time.Time `json:"until,omitzero"`    // when it may go on, where that is known
	Since    time.Time `json:"since,omitzero"`    // when its request was handed over or sent
	Requests int       `json:"requests"`          // sent, in this attempt
	Records  int       `json:"records"`           // saved, in this attempt
	Verdict  string    `json:"verdict,omitempty"` // of one that has ended
	Usual    Seconds   `json:"usual,omitempty"`   // what it took last time
	Error    string    `json:"error,omitempty"`   // of one that has failed
}

// Seconds is a duration, as pages count it.
type Seconds float64

// State is what an operation is doing, in a word.
type State string

// The states.
const (
	Queued  State = "queued"  // it has not begun: others run
	Reading State = "reading" // its scraper runs, or waits for its turn or for a commit
	Waiting State = "waiting" // it waits until its host may be asked
	Asking  State = "asking"  // its request is out
	Done    State = "done"    // it has ended well
	Failed  State = "failed"  // it has ended badly
)

// States returns all states, in the order in which an operation comes to them.
func States() []State { return []State{Queued, Reading, Waiting, Asking, Done, Failed} }

// Request is one request that was answered.
type Request struct {
	At     time.Time     `json:"at"`
	Label  string        `json:"label"`
	Method string        `json:"method"`
	URL    string        `json:"url"` // without user information
	Status int           `json:"status,omitempty"`
	Took   time.Duration `json:"took"` // nanoseconds
	Error  string        `json:"error,omitempty"`
}

// End is what a run has come to.
type End struct {
	At       time.Time `json:"at"`
	ExitCode int       `json:"exit_code"`
	Cause    string    `json:"cause,omitempty"` // why it ended early
}
