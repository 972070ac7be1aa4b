// Package testsize says how much tests are to do: docs/testing.md has the rule.
package testsize

import (
	"os"
	"testing"
)

// Variable is set to "full" where tests are to do all that they do before a change is accepted.
const Variable = "MULTISCRAPER_TESTS"

// Full reports whether tests are to do all of it: make race and .ci/run have them do so. Else each promise is tried once.
func Full() bool { return os.Getenv(Variable) == "full" }

// Of returns how much of a series is run: quick, or full where all of it is.
func Of(quick, full int) int {
	if Full() {
		return full
	}
	return quick
}

// SkipUnlessFull skips a test that costs too much for make test, where another test takes the same way: make race runs both.
func SkipUnlessFull(t testing.TB) {
	t.Helper()
	if !Full() {
		t.Skip("only with " + Variable + "=full: make race")
	}
}
