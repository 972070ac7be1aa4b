package actions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent/actions"
)

type actionsCase struct {
	In struct {
		HTML, Selector string
		Replacements   map[string]any
		Text           any
		Actions        [][]string
	}
	Out json.RawMessage
}

func (c actionsCase) replacements() actions.Replacements {
	r := actions.Replacements{}
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
			conformance.Decode(t, c.Out, &want)
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
	conformance.Decode(t, c.Out, &want)
	p, _ := served(t, c.In.HTML)
	found, err := actions.Clickable(p, c.In.Selector)
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
		Error string
		Args  []string `json:"args_passed"`
	}
	conformance.Decode(t, c.Out, &want)
	p, _ := served(t, "")
	got := want
	var list []actions.Action
	for _, a := range c.In.Actions {
		list = append(list, actions.Action{Type: a[0], Args: a[1:], Block: func(_ context.Context, p *agent.Page, args []string) (*agent.Page, error) {
			got.Args = args
			return p, nil
		}})
	}
	if _, err := actions.Perform(t.Context(), p, list, c.replacements(), 0); err != nil {
		got.Error = err.Error()
	}
	assert.Equal(t, want, got)
}
