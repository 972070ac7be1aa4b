// Command bench walks any number of list sites on loopback through the scheduler, the agent and the database, as a platform
// does, and prints what it took. The sites are those of http://127.0.X.Y:18080/list?page=1, X = 1 + i/250, Y = 1 + i%250: pages
// with a table.grid of rows and a link a.next to the next page.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/alecthomas/kong"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

type options struct {
	Sites      int           `help:"How many sites." default:"200"`
	NoDelay    bool          `help:"No rest between requests to a site."`
	MaxLoad    float64       `help:"How much of a site's time we take, in percent." default:"50"`
	DB         string        `name:"db" help:"Save every row there; without it rows are only counted." type:"path" placeholder:"FILE"`
	MaxRunning int           `help:"How many scrapers run at once; 0 is the number of cores, as of the scrape command." default:"0"`
	Idle       time.Duration `help:"Walk nothing: have as many operations wait that long, 2m at most, and print what that costs." placeholder:"60s"`
	CPUProfile string        `name:"cpuprofile" help:"Write a CPU profile there." type:"path" placeholder:"FILE"`
}

func main() {
	var o options
	kong.Parse(&o, kong.Name("bench"), kong.Description("Walks list sites on loopback and prints what it took."))
	cli.TuneGarbage(os.Getenv)
	if err := measure(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(o options) error {
	if o.MaxRunning == 0 {
		o.MaxRunning = runtime.GOMAXPROCS(0)
	}
	if o.CPUProfile != "" {
		f, err := os.Create(o.CPUProfile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if o.Idle > 0 {
		return idle(o)
	}
	return walkAll(o)
}
