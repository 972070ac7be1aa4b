// Package actions walks through a site by a list of steps, as in configurations of the ScraperUtils gem. A step is a link by its text, a
// CSS selector, an XPath expression, or a function.
package actions

import (
	"context"
	"fmt"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Action is one step of a walk through a site.
type Action struct {
	Type string // "click", or "block"

	// Args of a click are selectors, of which one is used per day: text that a link contains (also as "text:…"), "css:…", or "xpath:…".
	// Args of a block are passed to the block. {NAME} in them is replaced.
	Args []string

	// Block does what no click can do, and returns the page to continue with.
	Block func(ctx context.Context, p *agent.Page, args []string) (*agent.Page, error)
}

// Replacements are the values for {NAME} in a list of actions.
type Replacements map[string]string

// Apply replaces the names in a text. Names without a value stay as they are.
func (r Replacements) Apply(text string) string {
	for name, value := range r {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// Perform walks through a list of actions, starting at a page, and returns the last page. If a click has several selectors, day decides
// which one it uses: the number of a day, or of a run.
func Perform(ctx context.Context, p *agent.Page, list []Action, r Replacements, day int) (*agent.Page, error) {
	for i, a := range list {
		var err error
		switch {
		case a.Type == "click" && len(a.Args) > 0:
			p, err = Click(ctx, p, r.Apply(a.Args[((day%len(a.Args))+len(a.Args))%len(a.Args)]))
		case a.Type == "block" && a.Block != nil:
			args := make([]string, len(a.Args))
			for i := range args {
				args[i] = r.Apply(a.Args[i])
			}
			p, err = a.Block(ctx, p, args)
		case a.Type == "click" || a.Type == "block":
			err = &scraperutils.ConfigError{Name: "action", Value: a.Type, Accepted: "a selector to click, or a function to call"}
		default:
			err = &scraperutils.ConfigError{Name: "action", Value: a.Type, Accepted: "click or block"}
		}
		if err != nil {
			return nil, fmt.Errorf("action %d (%s): %w", i+1, a.Type, err)
		}
	}
	return p, nil
}

// Click follows the link, or presses the button, that a selector finds; see Clickable.
func Click(ctx context.Context, p *agent.Page, selector string) (*agent.Page, error) {
	target, err := Clickable(p, selector)
	if err != nil {
		return nil, err
	}
	if target.Length() == 0 {
		return nil, p.Missing("link " + selector)
	}
	if target, argument, ok := agent.ParsePostback(target.AttrOr("href", target.AttrOr("onclick", ""))); ok {
		form, err := p.Form("form")
		if err != nil {
			return nil, err
		}
		return form.Postback(ctx, target, argument)
	}
	if href, ok := target.Attr("href"); ok {
		return p.Get(ctx, href)
	}
	forms, err := p.Forms()
	if err != nil {
		return nil, err
	}
	for _, form := range forms {
		for _, f := range form.Fields() {
			if f.IsButton() && f.Node.Get(0) == target.Get(0) {
				return form.Submit(ctx, f)
			}
		}
	}
	return nil, p.Missing("link or button " + selector)
}

// Clickable returns the element that a selector names, or an empty selection. A text selects a link that leads somewhere. Of the links
// that contain the text, in its case or else in any case, it selects the one with the shortest text, and of these the one with the
// longest address. A link found by css or xpath stands for the first link to the same address.
func Clickable(p *agent.Page, selector string) (*goquery.Selection, error) {
	document, err := p.Document()
	if err != nil {
		return nil, err
	}
	links := document.Find("a[href]").FilterFunction(func(_ int, s *goquery.Selection) bool {
		return !strings.HasPrefix(s.AttrOr("href", ""), "#")
	})
	var found *goquery.Selection
	if css, ok := strings.CutPrefix(selector, "css:"); ok {
		found = document.Find(css).First()
	} else if xpath, ok := strings.CutPrefix(selector, "xpath:"); ok {
		all, err := XPath(document, xpath)
		if err != nil {
			return nil, err
		}
		found = all.First()
	} else {
		return linkWithText(links, strings.TrimPrefix(selector, "text:")), nil
	}
	href, ok := found.Attr("href")
	if !ok || goquery.NodeName(found) != "a" {
		return found, nil
	}
	return links.FilterFunction(func(_ int, s *goquery.Selection) bool { return s.AttrOr("href", "") == href }).First(), nil
}

func linkWithText(links *goquery.Selection, text string) *goquery.Selection {
	for _, fold := range []func(string) string{func(s string) string { return s }, strings.ToLower} {
		best := &goquery.Selection{}
		links.Each(func(_ int, s *goquery.Selection) {
			if strings.Contains(fold(s.Text()), fold(text)) && (best.Length() == 0 || better(s, best)) {
				best = s
			}
		})
		if best.Length() > 0 {
			return best
		}
	}
	return &goquery.Selection{}
}

func better(a, b *goquery.Selection) bool {
	textA, textB := scraperutils.Trim(a.Text()), scraperutils.Trim(b.Text())
	if len(textA) != len(textB) {
		return len(textA) < len(textB)
	}
	return len(a.AttrOr("href", "")) > len(b.AttrOr("href", ""))
}
