package fetch

import (
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// TimeoutError reports a request that got no complete answer in time.
type TimeoutError struct {
	After      time.Duration
	Connecting bool // there was no connection yet
}

func (e *TimeoutError) Error() string {
	if e.Connecting {
		return fmt.Sprintf("no connection within %s", e.After)
	}
	return fmt.Sprintf("no answer within %s", e.After)
}

// Class returns ClassTimeout, or ClassConnect if there was no connection.
func (e *TimeoutError) Class() scraperutils.Class {
	if e.Connecting {
		return scraperutils.ClassConnect
	}
	return scraperutils.ClassTimeout
}

// UnwantedError reports an answer whose body was not wanted and therefore not read.
type UnwantedError struct {
	Type string // its Content-Type, or ""
}

func (e *UnwantedError) Error() string { return fmt.Sprintf("content type %q is not wanted", e.Type) }

// Unwanted returns "not-text", the word that a crawl's rules use for such an answer.
func (e *UnwantedError) Unwanted() string { return "not-text" }

// Class returns ClassOther.
func (e *UnwantedError) Class() scraperutils.Class { return scraperutils.ClassOther }
