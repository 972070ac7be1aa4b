// Package testsize says how much tests are to do: docs/testing.md has the rule.
package testsize

import "os"

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
