package scraperutils_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestNearest(t *testing.T) {
	known := []string{"kyogle", "kogarah", "noosa", "kyogles", "ab"}
	for name, c := range map[string]struct {
		name string
		most int
		want []string
	}{
		"the nearest first":            {"kyogel", 3, []string{"kyogle", "kyogles"}},
		"itself":                       {"noosa", 0, []string{"noosa"}},
		"none within so few letters":   {"kyogel", 1, nil},
		"none that is half wrong":      {"cd", 5, nil},
		"half of a short one is right": {"ac", 5, []string{"ab"}},
		"nothing":                      {"", 3, nil},
		"much too long":                {strings.Repeat("noosa", 100_000), 250_000, nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, scraperutils.Nearest(c.name, known, c.most))
		})
	}
}
