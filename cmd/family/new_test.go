package family

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// slowSite answers each page with nothing much, after a second, and remembers when it was asked and when it had answered.
type slowSite struct {
	robots       string
	asked, ended []time.Time
}

func (s *slowSite) RoundTrip(r *http.Request) (*http.Response, error) {
	body := s.robots
	if r.URL.Path != "/robots.txt" {
		s.asked = append(s.asked, time.Now())
		time.Sleep(time.Second) // the bubble's
		s.ended = append(s.ended, time.Now())
		body = "<p>nothing here</p>"
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// rests checks that the site had so much time to itself between its answers and the next request.
func (s *slowSite) rests(t *testing.T, requests int, least time.Duration) {
	t.Helper()
	require.GreaterOrEqual(t, len(s.asked), requests)
	for i := 1; i < len(s.asked); i++ {
		assert.GreaterOrEqual(t, s.asked[i].Sub(s.ended[i-1]), least, "before request %d", i)
	}
}

// network is the way to that site alone.
func (s *slowSite) network(c settings) *egress.Network {
	return councils.network(egress.Config{Settings: c.network, Transport: s, Log: zerolog.Nop()})
}

func silent() cli.Console { return cli.NewConsole("scrape", os.Environ(), io.Discard, io.Discard) }

// All guesses are one visitor to the site.
func TestNewRestsBetweenGuesses(t *testing.T) {
	for name, c := range map[string]struct {
		robots string
		env    []string
		least  time.Duration
	}{
		"crawl-delay":  {"User-agent: *\nCrawl-delay: 3\n", nil, 3 * time.Second},
		"max load":     {"", []string{"MORPH_MAX_LOAD=10"}, 9 * time.Second},
		"random delay": {"", []string{"MORPH_RANDOM_DELAY=13"}, 4 * time.Second}, // 1 as it loads the site, at least 3 by chance
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				served, settings := &slowSite{robots: c.robots}, defaults(t, c.env...)
				command := &newCommand{family: councils, Label: "x", Platform: "epathway", URL: "http://council.example/ePathway/Production", Records: 1}
				code, err := command.try(t.Context(), silent(), settings, site.Clock{Now: time.Now()}, served.network(settings))
				require.NoError(t, err)
				assert.Equal(t, cli.ExitUnexpected, code)
				served.rests(t, 3, c.least)
			})
		})
	}
}

// A further command is as polite as a run.
func TestCallIsAsPoliteAsAScrape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served, settings := &slowSite{}, defaults(t, "MORPH_RANDOM_DELAY=13")
		caller := &Caller{councils, settings, silent()}
		err := caller.call(t.Context(), served.network(settings), "check", func(ctx context.Context, a *agent.Agent) error {
			for n := range 10 {
				if _, err := a.Get(ctx, fmt.Sprint("http://council.example/", n)); err != nil {
					return err
				}
			}
			return errors.New("it is done")
		})
		require.EqualError(t, err, "it is done")
		served.rests(t, 10, 4*time.Second)
	})
}

func TestSettingsThatAreTheirDefaults(t *testing.T) {
	assert.Equal(t, defaults(t), defaults(t, "MORPH_RANDOM_DELAY=0", "MORPH_DAYS=33", "MORPH_EVERYTIME=4", "MORPH_MAX_PERIOD=2",
		"MORPH_UNPROCESSABLE_BASE=5.01", "MORPH_UNPROCESSABLE_PERCENTAGE=10"))
}
