// Package aspnet is what pages made with ASP.NET Web Forms have in common: one form around the whole page, and links that
// post it back.
//
//	link or pager → ParsePostback → the page's form with all its fields → the next page
package aspnet

import (
	"context"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Form returns the form around the page: #aspnetForm, or else the one that carries the page's state, or else the only one.
func Form(p *agent.Page) (*agent.Form, error) {
	if form, err := p.Form("#aspnetForm"); err == nil {
		return form, nil
	}
	forms, err := p.Forms()
	if err != nil {
		return nil, err
	}
	for _, form := range forms {
		if form.Field("__VIEWSTATE") != nil || form.Field("__EVENTTARGET") != nil {
			return form, nil
		}
	}
	if len(forms) == 1 {
		return forms[0], nil
	}
	return nil, p.Missing("form #aspnetForm")
}

// Postback reads the postback of a link or button; a script that returns false is none.
func Postback(s *goquery.Selection) (target, argument string, ok bool) {
	if s.Length() == 0 {
		return "", "", false
	}
	onclick := s.AttrOr("onclick", "")
	if target, argument, ok = agent.ParsePostback(onclick); ok {
		return target, argument, true
	}
	if strings.Contains(onclick, "return false") {
		return "", "", false
	}
	return agent.ParsePostback(s.AttrOr("href", ""))
}

// Follow posts the page back as its link or button does.
func Follow(ctx context.Context, p *agent.Page, s *goquery.Selection) (*agent.Page, error) {
	target, argument, ok := Postback(s)
	if !ok {
		return nil, p.Missing("postback in " + goquery.NodeName(s) + " " + strings.TrimSpace(s.Text()))
	}
	form, err := Form(p)
	if err != nil {
		return nil, err
	}
	return form.Postback(ctx, target, argument)
}

// NextInPager returns the link after the current page in a GridView's pager, where the current page is a span and all others
// are links. The link may be "...", which leads to the next block. Nothing is returned on the last page.
func NextInPager(pager *goquery.Selection) *goquery.Selection {
	passed := false // the current page
	next := pager.Find("span, a").FilterFunction(func(_ int, s *goquery.Selection) bool {
		if goquery.NodeName(s) == "span" {
			passed = passed || s.Closest("a").Length() == 0
			return false
		}
		_, _, ok := Postback(s)
		return passed && ok
	})
	return next.First()
}
