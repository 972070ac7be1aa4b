package crawlcmd

import (
	"context"
	"errors"
	"math"
	"regexp"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
)

const boundOff = "a number from 1, or 0: any number"

// following is the settings of links.
var following = cli.Settings[settings]{
	{Variable: "CRAWL_SCOPE", Flag: "--scope", Default: "host where URLs are given as arguments, else none", Accepted: "none, host, domain or all",
		Meaning: "follow these links: `none`; `host`: those to the hosts of the URLs that were added; `domain`: those to all hosts of their domains; `all`",
		Read:    cli.Into(scopeKind, func(s *settings) *scope.Kind { return &s.scope.Kind })},
	{Variable: "CRAWL_DEPTH", Flag: "--depth", Default: "any number", Accepted: boundOff,
		Meaning: "follow at most N links in a row from the URLs that were added",
		Read:    cli.Into(cli.Whole(0, math.MaxInt32), func(s *settings) *int { return &s.scope.Depth })},
	{Variable: "CRAWL_INCLUDE", Flag: "--include", Default: "all", Accepted: "regular expressions (RE2) with blanks between them",
		Meaning: "follow only links whose URL matches one of these",
		Read:    cli.Into(patterns, func(s *settings) *[]*regexp.Regexp { return &s.scope.Include })},
	{Variable: "CRAWL_EXCLUDE", Flag: "--exclude", Default: "none", Accepted: "regular expressions (RE2) with blanks between them",
		Meaning: "do not follow links whose URL matches one of these",
		Read:    cli.Into(patterns, func(s *settings) *[]*regexp.Regexp { return &s.scope.Exclude })},
	{Variable: "CRAWL_MAX_PAGES", Flag: "--max-pages", Default: "any number", Accepted: boundOff,
		Meaning: "end the run when N URLs are done or have failed, including those of earlier runs; each worker counts for itself",
		Read:    cli.Into(cli.Whole(0, math.MaxInt32), func(s *settings) *int { return &s.maxPages })},
	{Variable: "CRAWL_MAX_PER_HOST", Flag: "--max-per-host", Default: "any number", Accepted: boundOff,
		Meaning: "take links to a host only until N of its URLs are known",
		Read:    cli.Into(cli.Whole(0, math.MaxInt32), func(s *settings) *int { return &s.scope.PerHost })},
	{Variable: "CRAWL_SITEMAPS", Flag: "--sitemaps", Default: "on", Accepted: cli.Switch,
		Meaning: "where links are followed, also read the sitemaps that a robots.txt names",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.sitemaps })},
	{Variable: "CRAWL_LINKS", Flag: "--links", Default: "forms", Accepted: "forms, sources, both with a comma between them, or none",
		Meaning: "besides links, areas, and frames, follow these: `forms` that are sent by GET, without what is filled in; `sources` of images, scripts, styles, and media",
		Read:    readLinks},
	{Variable: "CRAWL_NOFOLLOW", Flag: "--nofollow", Default: "obey", Accepted: "obey or ignore",
		Meaning: "obey or ignore rel=nofollow, meta robots, and X-Robots-Tag",
		Read: cli.Into(func(v string) (bool, error) {
			word, err := cli.OneOf("obey", "ignore")(v)
			return word == "ignore", err
		},
			func(s *settings) *bool { return &s.links.Nofollow })},
	{Variable: "CRAWL_MAX_VARIANTS", Flag: "--max-variants", Default: "10000", Accepted: boundOff,
		Meaning: "take at most N links that differ only in their queries; more are a trap",
		Read:    cli.Into(trapBound, func(s *settings) *int { return &s.scope.Variants })},
	{Variable: "CRAWL_MAX_SERIES", Flag: "--max-series", Default: "40", Accepted: boundOff,
		Meaning: "follow at most N pages of one shape, such as /calendar/7, that each led only to the next and to nothing else new; more are a trap",
		Read:    cli.Into(trapBound, func(s *settings) *int { return &s.scope.Series })},
	{Variable: "CRAWL_MAX_SEGMENTS", Flag: "--max-segments", Default: "20", Accepted: boundOff,
		Meaning: "treat a link whose path has more than N segments as a trap",
		Read:    cli.Into(trapBound, func(s *settings) *int { return &s.scope.Segments })},
	{Variable: "CRAWL_MAX_LENGTH", Flag: "--max-length", Default: "2000", Accepted: boundOff,
		Meaning: "treat a link of more than N bytes as a trap",
		Read:    cli.Into(trapBound, func(s *settings) *int { return &s.scope.Length })},
	{Variable: "CRAWL_SESSION_IDS", Flag: "--session-ids", Default: "built in", Accepted: "names with commas between them, where one that ends in * stands for all that begin so; or none",
		Meaning: "leave these parameters out of URLs, in any case of letters",
		Read:    cli.Into(names, func(s *settings) *[]string { return &s.rules.Form.SessionIDs })},
	{Variable: "CRAWL_SORT_QUERY", Flag: "--sort-query", Default: "on", Accepted: cli.Switch,
		Meaning: "sort the parameters of a URL by name",
		Read: cli.Into(func(v string) (bool, error) { on, err := cli.OnOff(v); return !on, err },
			func(s *settings) *bool { return &s.rules.Form.KeepOrder })},
}

func scopeKind(s string) (scope.Kind, error) {
	word, err := cli.OneOf(string(scope.None), string(scope.Host), string(scope.Domain), string(scope.All))(s)
	return scope.Kind(word), err
}

// patterns reads regular expressions.
func patterns(s string) (all []*regexp.Regexp, err error) {
	for one := range strings.FieldsSeq(s) {
		p, err := regexp.Compile(one)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// trapBound reads a bound of scope.Scope, for which none is below zero.
func trapBound(s string) (int, error) {
	n, err := cli.Whole(0, math.MaxInt32)(s)
	if n == 0 {
		n = -1
	}
	return n, err
}

func readLinks(s *settings, value string) error {
	forms, sources := false, false
	for word := range strings.SplitSeq(strings.ToLower(value), ",") {
		switch strings.TrimSpace(word) {
		case "forms":
			forms = true
		case "sources":
			sources = true
		case "none":
		default:
			return errValue
		}
	}
	s.links.NoForms, s.links.Sources = !forms, sources
	return nil
}

// names reads a list; none is an empty one.
func names(s string) ([]string, error) {
	all := []string{}
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name != "" && !strings.EqualFold(name, "none") {
			all = append(all, name)
		}
	}
	return all, nil
}

// settle decides what nobody said: links are followed on the hosts of URLs that are given as arguments, but not for a queue. A crawl that
// followed links before is not taken for a queue: its pages would be fetched, and what they lead to would be lost.
func (s *settings) settle(ctx context.Context, r *runCommand, f crawl.Frontier) error {
	if s.scope.Kind == "" {
		s.scope.Kind = scope.None
		queue := r.Keep || s.queue != "" || r.File != "" || r.Fixtures
		if !queue && len(r.URLs) > 0 {
			s.scope.Kind = scope.Host
		} else if followed, err := hasLinks(ctx, f); err != nil {
			return err
		} else if followed {
			return &startError{errors.New("links were followed in this frontier: say --scope host, domain or all to go on with that, or none")}
		}
	}
	s.rules.Follow = s.redirect == "follow" || s.redirect == "" && !s.scope.Follows()
	if only := s.onlyForLinks(); only != "" && !s.scope.Follows() {
		return &scraperutils.ConfigError{Name: "--scope", Value: string(s.scope.Kind), Accepted: "host, domain or all beside " + only}
	}
	return nil
}

// onlyForLinks names a setting that says nothing where no link is followed, or returns "".
func (s *settings) onlyForLinks() string {
	switch {
	case s.scope.Depth > 0:
		return "--depth"
	case len(s.scope.Include) > 0:
		return "--include"
	case len(s.scope.Exclude) > 0:
		return "--exclude"
	case s.scope.PerHost > 0:
		return "--max-per-host"
	}
	return ""
}

// sampled is how many URLs are looked at to tell a crawl from a queue.
const sampled = 1000

// hasLinks reports whether a frontier holds URLs that were found on pages.
func hasLinks(ctx context.Context, f crawl.Frontier) (bool, error) {
	all, err := f.URLs(ctx, crawl.URLFilter{Limit: sampled})
	for _, u := range all {
		if u.Depth > 0 {
			return true, nil
		}
	}
	return false, err
}
