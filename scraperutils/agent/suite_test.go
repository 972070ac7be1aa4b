package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
)

func TestSuiteMaintenance(t *testing.T) {
	conformance.Each(t, "maintenance", "0.8.2", func(t *testing.T, c struct {
		In  struct{ HTML string }
		Out *string
	}) {
		p, _ := served(t, utf8HTML, c.In.HTML)
		err := p.Missing("table")
		if c.Out == nil {
			assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
			return
		}
		assert.EqualError(t, err, *c.Out+" ("+p.URL.String()+")")
	})
}

// What the checks of a finished database make of a page is tested with them; here is what a scraper does.
func TestSuiteBotProtection(t *testing.T) {
	conformance.Each(t, "bot_protection", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Code string
			Body *string
		}
		Out struct{ Detected bool }
	}) {
		status, err := strconv.Atoi(c.In.Code)
		require.NoError(t, err)
		if status == http.StatusTooManyRequests {
			conformance.Differs(t, "429 asks for patience, and gets it")
			c.Out.Detected = false
		}
		a, base := site(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", utf8HTML)
			w.WriteHeader(status)
			if c.In.Body != nil {
				io.WriteString(w, *c.In.Body)
			}
		})
		p, err := a.Get(t.Context(), base)
		if err == nil {
			err = p.Missing("table") // an ordinary page may speak of such things
		}
		assert.Equal(t, c.Out.Detected, scraperutils.ClassOf(err) == scraperutils.ClassBlocked, "%v", err)
	})
}

type actionsCase struct {
	In struct {
		HTML, Selector string
		Replacements   map[string]any
		Text           any
		Actions        [][]string
	}
	Out json.RawMessage
}

func (c actionsCase) replacements() agent.Replacements {
	r := agent.Replacements{}
	for name, value := range c.In.Replacements {
		r[name] = fmt.Sprint(value)
	}
	return r
}

func TestSuiteActions(t *testing.T) {
	conformance.Each(t, "mechanize_actions", "0.8.2", func(t *testing.T, c actionsCase) {
		switch {
		case c.In.Selector != "":
			c.testSelector(t)
		case c.In.Actions != nil:
			c.testActions(t)
		default:
			var want string
			require.NoError(t, json.Unmarshal(c.Out, &want))
			assert.Equal(t, want, c.replacements().Apply(fmt.Sprint(c.In.Text)))
		}
	})
}

func (c actionsCase) testSelector(t *testing.T) {
	var want *struct {
		LinkText string `json:"link_text"`
		Href     string
		Element  string
		Text     string
	}
	require.NoError(t, json.Unmarshal(c.Out, &want))
	p, _ := served(t, utf8HTML, c.In.HTML)
	found, err := p.Clickable(c.In.Selector)
	require.NoError(t, err)
	switch {
	case want == nil:
		assert.Zero(t, found.Length())
	case want.Element != "":
		assert.Equal(t, []string{want.Element, want.Text}, []string{goquery.NodeName(found), found.Text()})
	default:
		assert.Equal(t, []string{"a", want.LinkText, want.Href}, []string{goquery.NodeName(found), found.Text(), found.AttrOr("href", "")})
	}
}

func (c actionsCase) testActions(t *testing.T) {
	var want struct {
		Class string `json:"error_class"`
		Error string
		Args  string `json:"args_passed"`
	}
	require.NoError(t, json.Unmarshal(c.Out, &want))
	p, _ := served(t, utf8HTML, "")
	var passed []string
	var actions []agent.Action
	for _, a := range c.In.Actions {
		actions = append(actions, agent.Action{Type: a[0], Args: a[1:], Block: func(_ context.Context, p *agent.Page, args []string) (*agent.Page, error) {
			passed = args
			return p, nil
		}})
	}
	_, err := p.Perform(t.Context(), actions, c.replacements(), 0)
	if want.Class != "" {
		conformance.Differs(t, "an error of configuration says what is accepted as well")
		var config *scraperutils.ConfigError
		require.ErrorAs(t, err, &config)
		assert.Equal(t, strings.TrimPrefix(want.Error, "Unknown action type: "), config.Value)
		return
	}
	require.NoError(t, err)
	conformance.Differs(t, "a block gets all of its arguments, and returns a page alone")
	assert.Contains(t, passed, want.Args)
}

// regression is a scenario that went wrong with the gem, and what is required instead. Most belong to the scheduler.
type regression struct {
	In struct {
		RobotsStatus int `json:"robots_status"`
		Pages        int
		Robots, Get  string
	}
	Out struct {
		Required struct {
			RobotsRequests int      `json:"robots_txt_requests"`
			ServerSaw      []string `json:"server_saw"`
		}
	}
}

func TestSuiteRegressions(t *testing.T) {
	conformance.Each(t, "scheduler_regressions", "0.8.2", func(t *testing.T, c regression) {
		const as = " as TestBrowser/1"
		status, text := c.In.RobotsStatus, strings.ReplaceAll(c.In.Robots, `\n`, "\n")
		if status == 0 && text == "" {
			t.Skip("not of a robots.txt")
		}
		a, base, seen := robotsSite(t, agent.Config{Robots: newCache(t)}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.WriteHeader(max(status, http.StatusOK))
				io.WriteString(w, text)
			}
		})
		if text != "" {
			_, err := a.Get(t.Context(), base+c.In.Get)
			assert.Equal(t, scraperutils.ClassRobots, scraperutils.ClassOf(err))
			assert.Equal(t, []string{strings.Join(c.Out.Required.ServerSaw, " ") + as}, *seen)
			return
		}
		want := []string{}
		for range c.Out.Required.RobotsRequests {
			want = append(want, "/robots.txt"+as)
		}
		for range c.In.Pages {
			_, err := a.Get(t.Context(), base+"/page")
			require.NoError(t, err)
			want = append(want, "/page"+as)
		}
		assert.Equal(t, want, *seen, "under the same name")
	})
}
