package listing

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// compiled reads a CSS selector that a program has.
func compiled(selector string) (goquery.Matcher, error) {
	matcher, err := cascadia.Compile(selector)
	if err != nil {
		return nil, &scraperutils.ConfigError{Name: "selector", Value: selector, Accepted: "a CSS selector: " + err.Error()}
	}
	return matcher, nil
}

// NextLink finds the next page by the first element that a CSS selector finds, such as a.next or li.next a, and its href, or the first
// of the attributes that it has: NextLink("button.more", "data-url"). No element, and one without an address, is the end. A link
// whose script is a postback of ASP.NET is followed as the browser would.
func NextLink(selector string, attributes ...string) Next {
	if len(attributes) == 0 {
		attributes = []string{"href"}
	}
	return func(ctx context.Context, at *At) (*agent.Page, error) {
		links, err := find(at.Page, selector)
		if err != nil {
			return nil, err
		}
		return at.follow(ctx, links.First(), attributes...)
	}
}

// RelNext finds the next page as a page declares it to machines: by <link rel="next"> or <a rel="next">, or in a Link header.
func RelNext() Next {
	link := NextLink(`link[rel~="next"], a[rel~="next"], area[rel~="next"]`)
	return func(ctx context.Context, at *At) (*agent.Page, error) {
		if href := relNextOf(at.Page.Header); href != "" {
			return at.Get(ctx, href)
		}
		return link(ctx, at)
	}
}

// relNextOf reads Link: <https://a.example/?page=2>; rel="next", <…>; rel="last".
func relNextOf(header http.Header) string {
	for _, value := range header.Values("Link") {
		for value != "" {
			_, rest, ok := strings.Cut(value, "<")
			if !ok {
				break
			}
			href, after, _ := strings.Cut(rest, ">")
			parameters := after
			if i := strings.Index(after, "<"); i >= 0 {
				parameters = after[:i]
			}
			value = after[len(parameters):]
			for parameter := range strings.SplitSeq(parameters, ";") {
				name, rel, _ := strings.Cut(strings.Trim(parameter, " ,\t"), "=")
				if strings.EqualFold(name, "rel") && slices.Contains(strings.Fields(strings.ToLower(strings.Trim(rel, `"`))), "next") {
					return href
				}
			}
		}
	}
	return ""
}

// NextText finds the next page by a link that says one of the texts, such as Next or ›, in any case.
func NextText(texts ...string) Next {
	return func(ctx context.Context, at *At) (*agent.Page, error) {
		links, err := find(at.Page, "a")
		if err != nil {
			return nil, err
		}
		return at.follow(ctx, saying(links, texts...), "href")
	}
}

// PageLinks finds the next page by a link that says its number, among the elements that a CSS selector finds, such as .pager a. Where
// none does and the last of them is an ellipsis, that leads to more numbers.
func PageLinks(selector string) Next {
	return func(ctx context.Context, at *At) (*agent.Page, error) {
		links, err := find(at.Page, selector)
		if err != nil {
			return nil, err
		}
		next := saying(links, strconv.Itoa(at.Number+1))
		if next.Length() == 0 {
			next = saying(links.Last(), "...", "…")
		}
		return at.follow(ctx, next, "href")
	}
}

// saying returns the first element that says one of the texts, or none.
func saying(elements *goquery.Selection, texts ...string) *goquery.Selection {
	return elements.FilterFunction(func(_ int, e *goquery.Selection) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return folded(text) == folded(e.Text()) })
	}).First()
}

// follow gets what the first of an element's attributes names that it has.
func (at *At) follow(ctx context.Context, link *goquery.Selection, attributes ...string) (*agent.Page, error) {
	for _, name := range attributes {
		href := scraperutils.Trim(link.AttrOr(name, ""))
		script, isScript := strings.CutPrefix(strings.ToLower(href), "javascript:")
		switch {
		case isScript && nothing.MatchString(script), href == "", strings.HasPrefix(href, "#"):
		case isScript:
			return at.postback(ctx, href)
		default:
			return at.Get(ctx, href)
		}
	}
	return nil, nil
}

// nothing is the script of a link that leads nowhere, as sites write it for the last page.
var nothing = regexp.MustCompile(`^\s*(void\s*\(?\s*0\s*\)?)?\s*;?\s*$`)

// postback does what a link's script does on a page of ASP.NET. Another script is not understood.
func (at *At) postback(ctx context.Context, script string) (*agent.Page, error) {
	target, argument, ok := agent.ParsePostback(script)
	if !ok {
		return nil, at.Page.Missing("address of the next page", script)
	}
	forms, err := at.Page.Forms()
	if err != nil {
		return nil, err
	}
	for _, form := range forms {
		if form.Field("__VIEWSTATE") != nil {
			return form.Postback(ctx, target, argument)
		}
	}
	return nil, at.Page.Missing("form with __VIEWSTATE")
}
