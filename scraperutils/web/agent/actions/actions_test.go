package actions_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent/actions"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// served returns a page with this HTML, and a function that tells what was last sent to its server.
func served(t *testing.T, html string) (*agent.Page, func() string) {
	t.Helper()
	var last string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		last = strings.TrimSuffix(fmt.Sprintf("%s %s %s", r.Method, r.RequestURI, body), " ")
		io.WriteString(w, html)
	}))
	t.Cleanup(server.Close)
	p, err := agent.New(agent.Config{Fetch: fetch.Config{Transport: server.Client().Transport}}).Get(t.Context(), server.URL)
	require.NoError(t, err)
	return p, func() string { return last }
}

const linksPage = `<html><body><a href="/a">Apply</a><a href="/apply-now-long">Apply</a><a href="#frag">Find</a><a href="/find">Find an application</a>
<a href="/find2">Find an application today</a><a>Nohref</a><a href="/up">SEARCH Advanced</a><a class="btn" href="/css">Css link</a><div id="d">Div text</div>
<a href="/dup">First dup</a><a class="dup2" href="/dup">Second dup</a></body></html>`

func TestClickable(t *testing.T) {
	p, _ := served(t, linksPage)
	for selector, want := range map[string][2]string{
		"Apply":                    {"Apply", "/apply-now-long"},
		"Find":                     {"Find an application", "/find"},
		"text:Find an":             {"Find an application", "/find"},
		"search":                   {"SEARCH Advanced", "/up"},
		"Nohref":                   {},
		"frag":                     {},
		"css:a.btn":                {"Css link", "/css"},
		"css:.none":                {},
		"xpath://a[@class='dup2']": {"First dup", "/dup"},
		"xpath://div":              {"Div text", ""},
		"xpath://h7":               {},
	} {
		s, err := actions.Clickable(p, selector)
		require.NoError(t, err, selector)
		assert.Equal(t, want, [2]string{s.Text(), s.AttrOr("href", "")}, selector)
	}
	div, err := actions.Clickable(p, "xpath://div")
	require.NoError(t, err)
	assert.Equal(t, "div", goquery.NodeName(div))
	for _, bad := range []string{"xpath://[", "xpath://a[sum('x')]"} {
		_, err = actions.Clickable(p, bad)
		assert.ErrorContains(t, err, "expected an XPath expression", bad)
	}
}

func TestReplacements(t *testing.T) {
	r := actions.Replacements{"F": "2022-01-01", "N": "42"}
	assert.Equal(t, "2022-01-01 to 42 {X}", r.Apply("{F} to {N} {X}"))
	assert.Equal(t, "plain", r.Apply("plain"))
	assert.Equal(t, "{F} to {N} {X}", actions.Replacements{}.Apply("{F} to {N} {X}"))
}

func TestPerform(t *testing.T) {
	p, last := served(t, linksPage+`<form method=post action=/go><input type=hidden name=a value=1><input id=s type=submit name=b value=Search></form>
		<a href="javascript:__doPostBack('tab','2')">Tab</a>`)
	for name, c := range map[string]struct {
		action actions.Action
		day    int
		want   string
	}{
		"a link":                  {actions.Action{Type: "click", Args: []string{"Find"}}, 0, "GET /find"},
		"one of several, in turn": {actions.Action{Type: "click", Args: []string{"Find", "Css link"}}, 3, "GET /css"},
		"with a replacement":      {actions.Action{Type: "click", Args: []string{"{WHAT} link"}}, 0, "GET /css"},
		"a button":                {actions.Action{Type: "click", Args: []string{"css:#s"}}, 0, "POST /go a=1&b=Search"},
		"a postback":              {actions.Action{Type: "click", Args: []string{"Tab"}}, 0, "POST /go a=1&__EVENTTARGET=tab&__EVENTARGUMENT=2"},
		"a function": {actions.Action{Type: "block", Args: []string{"/{WHAT}", "second"}, Block: func(ctx context.Context, p *agent.Page, args []string) (*agent.Page, error) {
			return p.Get(ctx, args[0]+"/"+args[1])
		}}, 0, "GET /Css/second"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := actions.Perform(t.Context(), p, []actions.Action{c.action}, actions.Replacements{"WHAT": "Css"}, c.day)
			require.NoError(t, err)
			assert.Equal(t, c.want, last())
		})
	}
	for name, c := range map[string]struct {
		action actions.Action
		want   string
	}{
		"an unknown action":      {actions.Action{Type: "fly", Args: []string{"x"}}, `action 1 (fly): action: can't use "fly": expected click or block`},
		"nothing to click":       {actions.Action{Type: "click"}, "expected a selector to click"},
		"nothing to call":        {actions.Action{Type: "block"}, "or a function to call"},
		"a link that is missing": {actions.Action{Type: "click", Args: []string{"Nowhere"}}, "action 1 (click): no link Nowhere in "},
		"what can't be clicked":  {actions.Action{Type: "click", Args: []string{"css:#d"}}, "no link or button css:#d in "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := actions.Perform(t.Context(), p, []actions.Action{c.action}, nil, 0)
			assert.ErrorContains(t, err, c.want)
		})
	}
	_, err := actions.Perform(t.Context(), p, []actions.Action{{Type: "click", Args: []string{"Nowhere"}}}, nil, 0)
	assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
}
