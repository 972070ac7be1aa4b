package report_test

import (
	"os"
	"testing"

	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pagetest.Close()
	os.Exit(code)
}
