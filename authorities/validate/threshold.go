package validate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Threshold says how many of something must be good: Percentage of them, less Variation.
type Threshold struct {
	Percentage float64 // 50 is half
	Variation  float64 // a number of records or checks
}

func (t Threshold) of(count int) float64 { return t.Percentage*float64(count)/100 - t.Variation }

// enough is an error where too few of so many records are good; at least one must be.
func (t Threshold) enough(good, count int, what string) error {
	least, text := t.of(count), "1"
	if least < 1 {
		least = 1
	} else if text = number(least); !strings.Contains(text, ".") {
		text += ".0"
	}
	if float64(good) >= least {
		return nil
	}
	return &scraperutils.UnprocessableSite{Reason: fmt.Sprintf("Expected at least %s (%s%% - %s) %s, got %d",
		text, number(t.Percentage), number(t.Variation), what, good)}
}

// tally counts checks as they are made, so that a hopeless case ends early.
type tally struct {
	threshold     Threshold
	count, failed int
}

// fail counts a check that failed; its error says that these are too many for those made so far.
func (t *tally) fail() error {
	t.count++
	t.failed++
	passed, least := t.count-t.failed, math.Round(t.threshold.of(t.count))
	if float64(passed) >= least {
		return nil
	}
	return &scraperutils.UnprocessableSite{Reason: fmt.Sprintf(
		"Too many failures: %d/%d passed (min required: %s)", passed, t.count, number(least))}
}

func (t *tally) pass() { t.count++ }

// summary is the last line about these checks.
func (t *tally) summary(what string) string {
	return fmt.Sprintf("%s%% %s passed (%d/%d failed)!\n", percent(t.count-t.failed, t.count), what, t.failed, t.count)
}

// percent is the share of a part with one decimal, halves up.
func percent(part, all int) string {
	return fmt.Sprintf("%.1f", math.Round(1000*float64(part)/float64(all))/10)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
