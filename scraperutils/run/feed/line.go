package feed

import (
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Line is one line of a feed.
type Line struct {
	Run      *Run      `json:"run,omitempty"`      // the run begins: what was known of another one is forgotten
	Statuses []Status  `json:"statuses,omitempty"` // of operations of which something has changed
	Requests []Request `json:"requests,omitempty"` // that were answered
	Dropped  int       `json:"dropped,omitempty"`  // requests that were left out since the line before
	End      *End      `json:"end,omitempty"`      // the run has ended; nothing comes after it
	CutOff   bool      `json:"cut_off,omitempty"`  // the run's process has ended without a word; nothing comes after it
	Again    bool      `json:"again,omitempty"`    // what is known beside the feed has changed: who shows it should look again
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
	Expected time.Time `json:"expected,omitzero"` // its end, at the earliest; zero: unknown, or it has ended
	Requests int       `json:"requests"`          // sent
	Records  int       `json:"records"`           // saved
	Verdict  string    `json:"verdict,omitempty"` // of one that has ended
	Error    string    `json:"error,omitempty"`   // of one that has failed
}

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

// Ended reports whether an operation in this state has ended.
func (s State) Ended() bool { return s == Done || s == Failed }

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

// Message is a line that many are told. Its JSON is made once, however many ask for it.
type Message struct {
	Line
	text func() []byte
}

func newMessage(line Line) *Message {
	return &Message{Line: line, text: sync.OnceValue(func() []byte {
		text, err := json.Marshal(line)
		if err != nil {
			return []byte("{}") // a time that JSON lacks
		}
		return text
	})}
}

// JSON returns the line as JSON, which has no line ends. Nobody may change it.
func (m *Message) JSON() []byte { return m.text() }

// inParts returns a line as several that are short enough for any reader.
func (l Line) inParts() (parts []Line) {
	for {
		part := l
		part.Statuses = part.Statuses[:min(len(l.Statuses), mostInLine)]
		l.Statuses = l.Statuses[len(part.Statuses):]
		part.Requests = nil
		if len(l.Statuses) == 0 { // which name the labels that requests are of
			part.Requests = l.Requests[:min(len(l.Requests), mostInLine)]
			l.Requests = l.Requests[len(part.Requests):]
		}
		if len(l.Statuses)+len(l.Requests) == 0 {
			return append(parts, part)
		}
		part.End, part.CutOff = nil, false // they come last
		parts = append(parts, part)
		l.Run, l.Dropped = nil, 0 // they came first
	}
}

// mostInLine is how many statuses or requests a line has.
const mostInLine = 1000

// of returns a line with the parts that one who looks at an operation wants, or at all of them for "".
func (l Line) of(label string) Line {
	if label == "" {
		l.Requests, l.Dropped = nil, 0
		return l
	}
	l.Statuses = slices.DeleteFunc(slices.Clone(l.Statuses), func(s Status) bool { return s.Label != label })
	l.Requests = slices.DeleteFunc(slices.Clone(l.Requests), func(r Request) bool { return r.Label != label })
	l.Dropped = 0
	return l
}

// says reports whether there is anything in a line.
func (l Line) says() bool {
	return l.Run != nil || l.End != nil || l.CutOff || l.Again || len(l.Statuses)+len(l.Requests)+l.Dropped > 0
}
