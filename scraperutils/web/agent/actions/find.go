package actions

import (
	"fmt"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"github.com/antchfx/htmlquery"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// CSS returns the elements of a document that a CSS selector finds.
func CSS(document *goquery.Document, selector string) (*goquery.Selection, error) {
	group, err := cascadia.Compile(selector)
	if err != nil {
		return nil, &scraperutils.ConfigError{Name: "selector", Value: selector, Accepted: "a CSS selector such as table.grid tr (" + err.Error() + ")"}
	}
	return document.FindMatcher(group), nil
}

// XPath returns the nodes of a document that an XPath expression finds.
func XPath(document *goquery.Document, expression string) (found *goquery.Selection, err error) {
	refuse := func(why any) error {
		return &scraperutils.ConfigError{Name: "xpath", Value: expression, Accepted: fmt.Sprintf("an XPath expression that finds nodes, such as //table//tr (%v)", why)}
	}
	defer func() { // the library panics on some expressions that can be read but not evaluated
		if why := recover(); why != nil {
			found, err = nil, refuse(why)
		}
	}()
	nodes, err := htmlquery.QueryAll(document.Get(0), expression)
	if err != nil {
		return nil, refuse(err)
	}
	return document.FindNodes().AddNodes(nodes...), nil
}
