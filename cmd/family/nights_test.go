package family

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// tenNights is how the sites of twenty councils are in ten nights: . well, E empty, L another layout, C with a bad certificate, B blocked, M in maintenance,
// P another layout on a later page, 4 missing, and a space: not asked. In the sixth night a vendor changes its pages.
var tenNights = map[string]string{
	"bayside":        ".....LLL..",
	"blue_mountains": ".....LLL..",
	"boroondara":     ".....LLLL.",
	"canada_bay":     ".....LLL..",
	"cumberland":     ".L...LL...",
	"georges_river":  "..........",
	"kyogle":         ".......... ",
	"noosa":          "..P....PP.",
	"casey":          "LLLLLLLLLL",
	"blacktown":      ".M........",
	"ballarat":       "..CC..C...",
	"bendigo":        "B.B.B.B.B.",
	"burwood":        "44........",
	"dorset":         "..  4 4  .",
	"bunbury":        "........E.",
	"maitland":       "EEEEEEEEEE",
	"kiama":          "....M.....",
	"broken_hill":    ".........L",
	"armidale":       "         .",
	"ballina":        "        44",
}

var nightWays = map[byte]string{'E': "empty", 'L': "layout", 'C': "certificate", 'B': "forbidden", 'M': "maintenance", 'P': "layout-later", '4': "missing"}

// expectedMorning works out what a report has to say after a night, from what was done to the sites alone.
func expectedMorning(night int) map[string][]string {
	want := map[string][]string{}
	for _, label := range slices.Sorted(maps.Keys(tenNights)) {
		nights := tenNights[label]
		bad := func(n int) bool {
			return strings.IndexByte("LCBMP4", nights[n]) >= 0 || label == "bunbury" && nights[n] == 'E'
		}
		before := night - 1
		for before >= 0 && nights[before] == ' ' {
			before--
		}
		wasBad := before >= 0 && bad(before)
		section := ""
		switch {
		case nights[night] == ' ' && wasBad:
			section = "Earlier"
		case nights[night] == ' ':
		case nights[night] == 'E' && bad(night): // it gave records earlier on that day
			section = "Implausible"
		case bad(night) && wasBad:
			section = "Still"
		case bad(night):
			section = "New"
		case wasBad:
			section = "Recovered"
		}
		if section != "" {
			want[section] = append(want[section], label)
		}
	}
	return want
}

var (
	sectionLine = regexp.MustCompile(`^([A-Z][a-z]+) \((\d+)\): `)
	itemLine    = regexp.MustCompile(`^  ([a-z_]+): `)
	restOfLike  = regexp.MustCompile(`^  and \d+ like these \([^)]*\): (.*)$`)
)

// toldMorning reads the labels of each section of a report in a terminal.
func toldMorning(t *testing.T, text string) map[string][]string {
	t.Helper()
	told, section, counts := map[string][]string{}, "", map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			section, counts[m[1]] = m[1], m[2]
		} else if m := itemLine.FindStringSubmatch(line); m != nil {
			told[section] = append(told[section], m[1])
		} else if m := restOfLike.FindStringSubmatch(line); m != nil {
			told[section] = append(told[section], strings.Split(m[1], ", ")...)
		}
	}
	for name, labels := range told {
		assert.Equal(t, counts[name], fmt.Sprint(len(labels)), name)
		slices.Sort(labels)
	}
	return told
}

// Ten nights (the first four of them in make test), in which sites go bad and get well: each morning's report says what has happened.
func TestTenNights(t *testing.T) {
	long(t)
	t.Parallel()
	path := database(t)
	first := time.Date(2025, 5, 8, 0, 0, 0, 0, time.UTC)
	reports := make([]string, testsize.Of(4, 10))
	for night := range reports {
		var asked, bad []string
		for _, label := range slices.Sorted(maps.Keys(tenNights)) {
			letter := tenNights[label][night]
			if letter != ' ' {
				asked = append(asked, label)
			}
			if how := nightWays[letter]; how != "" {
				bad = append(bad, label+"="+how)
			}
		}
		day := first.AddDate(0, 0, night).Format(time.DateOnly)
		base := []string{"--fixtures", "--no-delay", "--attempts", "1", "--as-of", day, "--db", path, "--authority"}
		if slices.Contains(bad, "bunbury=empty") {
			scrape(t, t.Context(), nil, append(base, "bunbury")...)
		}
		got := scrape(t, t.Context(), nil, append(base, strings.Join(asked, ","), "--misbehave", strings.Join(bad, ","))...)
		require.NotEqual(t, 2, got.code, got.stderr)
		reports[night] = scrape(t, t.Context(), nil, "report", "--db", path).stdout
		t.Logf("the morning of %s, after %s\n%s", day, strings.Join(bad, " "), reports[night])
		assert.Equal(t, expectedMorning(night), toldMorning(t, reports[night]), "the morning of %s", day)
	}
	says := func(night int, texts ...string) {
		t.Helper()
		if night >= len(reports) {
			return
		}
		for _, text := range texts {
			assert.Contains(t, reports[night], text, "morning %d", night+1)
		}
	}
	says(0, "New (3): ", "casey: failed (layout), 0 records, in its only run")
	says(2, "ballarat: failed (tls), 0 records, well on 2025-05-09\n", "noosa: partial (layout), 5 records, well on 2025-05-09")
	says(3, "ballarat: failed (tls), 0 records, 2 runs running, since 2025-05-10\n", "bendigo: ok, 13 records, after a bad run on 2025-05-10: blocked")
	says(5, "5 of 7 icon fail in the same way (layout): likely a change of the vendor\n", "and 2 like these (icon, layout): ")
	says(6, "5 of 7 icon fail in the same way (layout): likely a change of the vendor\n", "bayside: failed (layout), 0 records, 2 runs running, since 2025-05-13")
	says(7, "Recovered (3): ", "cumberland: ok, ", "after 2 bad runs since 2025-05-13: layout")
	says(8, "bunbury: implausible (quality), 0 records, well on 2025-05-16\n    0 records, 15 earlier on the same day\n")
	says(9, "casey: failed (layout), 0 records, in all 10 runs since 2025-05-08\n", "bunbury: ok, ", "after a bad run on 2025-05-16: quality")
}
