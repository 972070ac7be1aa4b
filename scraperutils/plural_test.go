package scraperutils_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 records":         scraperutils.Count(0, "record"),
		"1 record":          scraperutils.Count(1, "record"),
		"2 records":         scraperutils.Count(2, "record"),
		"12,345 records":    scraperutils.Count(12345, "record"),
		"-1,234 records":    scraperutils.Count(-1234, "record"),
		"1 authority":       scraperutils.Count(1, "authority", "authorities"),
		"1,000 authorities": scraperutils.Count(1000, "authority", "authorities"),
		"-123 records":      scraperutils.Count(-123, "record"),
	} {
		assert.Equal(t, want, got)
	}
}
