package family

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/notify"
	"github.com/multiscraper/multiscraper/scraperutils/run/quality"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// settings is how a run behaves, whoever said so: flags win over the environment, which wins over defaults.
type settings struct {
	labels    []string // none: all
	expectBad []string // labels whose failure is expected

	runTimeout     time.Duration // 0: the command's default
	maxWorkers     int           // 0: all
	disableThreads bool

	network  egress.Settings // how requests go out
	attempts int             // on a site that fails

	plan    dates.Plan // of searches that are spread over days
	cycle   *int       // where options with several values stand, instead of at the day
	inOrder bool       // spans of days are searched oldest first, instead of in random order

	quality  quality.Limit // how many bad records are borne
	keepDays int           // records that were last scraped longer ago are deleted; 0: none are
	vacuum   bool          // after the clean-up
	debug    int

	notify  notify.Command // that is told of the run; no Line: none
	webhook *url.URL       // that is told of it; nil: none

	variables string   // what the names of variables begin with, for warnings
	misspelt  []string // warnings about names in the environment that are nearly a setting's
}

// readSettings puts flags and environment together. Each value that can't be read is one line of the error.
func (f *Family) readSettings(c cli.Console, today time.Time) (settings, error) {
	declared := f.declared()
	s := settings{
		network: egress.Settings{Pace: pace.Config{MaxLoad: pace.DefaultMaxLoad}, UserAgent: f.UserAgent},
		plan:    dates.DefaultPlan(), quality: quality.DefaultLimit(), keepDays: runlog.KeepDays, misspelt: declared.Misspelt(c.Names),
		variables: f.Variables,
	}
	err := declared.Read(&s, c)
	if err == nil && s.network.ProxyForAll && s.network.Proxy == nil {
		err = &scraperutils.ConfigError{Name: f.variable("USE_PROXY"), Value: c.Env(f.variable("USE_PROXY")), Accepted: f.variable(f.Proxy.Variable) + " beside it"}
	}
	s.network.UserAgent = strings.ReplaceAll(s.network.UserAgent, "TODAY", today.Format(time.DateOnly))
	return s, err
}

// warnings is what the settings make of a run that must not be overlooked. Its report repeats it.
func (s settings) warnings() (all []string) {
	if s.network.NotCompliant {
		all = append(all, s.variables+"_NOT_COMPLIANT is set: pages that a robots.txt forbids are fetched all the same")
	}
	if s.network.Insecure {
		all = append(all, s.variables+"_DISABLE_SSL_CHECK is set: no certificate is checked, so anybody on the way can read and change what is exchanged")
	}
	return all
}

// tell writes all warnings, for commands without a log.
func (s settings) tell(w io.Writer) {
	for _, warning := range append(s.misspelt, s.warnings()...) {
		fmt.Fprintln(w, "WARNING: "+warning)
	}
}

// atLeastOne checks a flag that counts.
func atLeastOne(flag string, n int) error {
	if n < 1 {
		return &scraperutils.ConfigError{Name: flag, Value: strconv.Itoa(n), Accepted: "a number from 1"}
	}
	return nil
}

// search is how one visit searches by date. What is random in it belongs to that visit.
func (s settings) search() site.Search {
	search := site.Search{Plan: s.plan, Cycle: s.cycle}
	if !s.inOrder {
		search.Random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return search
}
