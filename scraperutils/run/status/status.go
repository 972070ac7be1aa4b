package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Status is what a worker does at a time.
type Status struct {
	Program  string    `json:"program"`  // crawl, browse or stream
	Version  string    `json:"version"`  // of the program
	Worker   string    `json:"worker"`   // names the process among those that share its work
	Began    time.Time `json:"began_at"` // when the process began to work
	State    State     `json:"state"`
	Figures  []Figure  `json:"figures"`
	Slow     []string  `json:"slow"`     // what takes longest, and by which rule, a line each
	Problems []string  `json:"problems"` // what went wrong lately, the last first
}

// Figure is a number with a name.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`            // such as URLs, bytes or s
	Total bool    `json:"total,omitempty"` // it counts since Began, and so only grows
}

// State is what a worker does, in a word.
type State string

// The states.
const (
	Working  State = "working"
	Waiting  State = "waiting"  // there is nothing to do, or it must rest
	Stopping State = "stopping" // it ends what it has begun
)

// Limits of a document that is read.
const (
	MaxBytes = 64 << 10
	maxLines = 50
	maxText  = 400 // bytes of a line
	maxName  = 100 // bytes of a name
)

// Read reads a document of somebody who is not trusted. Its texts are clean lines of bounded length then, its lists have 50 items at most.
func Read(r io.Reader) (Status, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case err != nil:
		return Status{}, err
	case len(text) > MaxBytes:
		return Status{}, fmt.Errorf("the status has more than %d bytes", MaxBytes)
	}
	var s Status
	if err := json.Unmarshal(text, &s); err != nil {
		return Status{}, fmt.Errorf("the answer is no status: %w", err)
	}
	switch s.State {
	case Working, Waiting, Stopping:
	default:
		return Status{}, errors.New("the answer is no status: it has no state")
	}
	s.Program, s.Version, s.Worker = line(s.Program, maxName), line(s.Version, maxName), line(s.Worker, maxName)
	s.Figures = s.Figures[:min(len(s.Figures), maxLines)]
	for i := range s.Figures {
		f := &s.Figures[i]
		f.Name, f.Unit = line(f.Name, maxName), line(f.Unit, maxName)
	}
	s.Slow, s.Problems = lines(s.Slow), lines(s.Problems)
	return s, nil
}

func line(text string, most int) string {
	return scraperutils.Shortened(scraperutils.CleanLine(text), most)
}

func lines(all []string) []string {
	all = all[:min(len(all), maxLines)]
	for i := range all {
		all[i] = line(all[i], maxText)
	}
	return all
}

// Text is the figure's value as people read it, without the unit.
func (f Figure) Text() string {
	if f.Value == math.Trunc(f.Value) && math.Abs(f.Value) < 1e15 {
		return scraperutils.Digits(int(f.Value))
	}
	return fmt.Sprintf("%.1f", f.Value)
}
