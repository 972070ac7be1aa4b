package family_test

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/cmd/internal/councils"
	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
)

// The tests of the package run the family of councils, which knows this package: so it comes from outside.
func TestMain(m *testing.M) {
	peak := os.Getenv(family.ChildVariable)
	if peak == "" {
		flag.Parse()
		if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil { // they wait more than they compute
			panic(err)
		}
		if err := family.Councils(councils.Family()); err != nil {
			panic(err)
		}
		code := m.Run()
		pagetest.Close()
		os.Exit(code)
	}
	code := family.Run(councils.Family(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	// Not by the parent's getrusage: that counts the parent's own memory too.
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_ = os.WriteFile(peak, status, 0o600)
	}
	os.Exit(code)
}
