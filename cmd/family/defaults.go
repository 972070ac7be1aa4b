package family

import (
	"cmp"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

// withDefaults fills in what a program has left out. Its error says what it may not leave out.
func (f Family) withDefaults() (*Family, error) {
	f.Variables = cmp.Or(f.Variables, strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
	f.Registry.Terms = f.Registry.WithDefaults()
	f.Registry.Command = f.Name
	f.Proxy.Variable = cmp.Or(f.Proxy.Variable, "PROXY")
	f.Proxy.For = cmp.Or(f.Proxy.For, f.Registry.Sites+" whose rows say `"+f.Registry.Terms.Proxy+": true`")
	t := &f.Table
	t.Name, t.Label, t.Rows = cmp.Or(t.Name, "data"), cmp.Or(t.Label, f.Registry.Site), cmp.Or(t.Rows, "records")
	if t.Title == nil {
		t.Title = t.Keys
	}
	f.Help = f.Help.withDefaults(f.Registry.Site)
	return &f, f.check()
}

func (h Help) withDefaults(site string) Help {
	h.About = cmp.Or(h.About, "Scrapes many sites of one kind, politely, into one SQLite file, with a verdict for every site.")
	h.Label = cmp.Or(h.Label, "example")
	h.Pattern = cmp.Or(h.Pattern, "exa*")
	h.NewLabel = cmp.Or(h.NewLabel, "my_"+site)
	h.Option = cmp.Or(h.Option, "key=value")
	h.Source = cmp.Or(h.Source, "pages")
	h.BuiltIn = cmp.Or(h.BuiltIn, "sites")
	h.AsOf = cmp.Or(h.AsOf, "dates that go by the day of the run")
	return h
}

// check refuses what no command can be made of.
func (f *Family) check() error {
	refuse := func(field, value, accepted string) error {
		return &scraperutils.ConfigError{Name: "family." + field, Value: value, Accepted: accepted}
	}
	switch {
	case f.Name == "":
		return refuse("Family.Name", "", "the name of the command")
	case strings.ContainsFunc(f.Registry.Site+f.Registry.Sites, func(r rune) bool { return r < 'a' || r > 'z' }):
		return refuse("Family.Registry.Terms", f.Registry.Site+", "+f.Registry.Sites, "words of small letters: they are flags and keys too")
	case f.Registry.Site == f.Registry.Sites:
		return refuse("Family.Registry.Terms", f.Registry.Site, "another word for several than for one: both are flags")
	case len(f.Registry.Platforms) == 0:
		return refuse("Family.Registry.Platforms", "", "a platform at least")
	case len(f.Table.Keys) == 0:
		return refuse("Table.Keys", "", "the fields that tell the records of one site apart")
	case slices.Contains(f.Table.Keys, f.Table.Label):
		return refuse("Table.Keys", f.Table.Label, "fields beside the label of the site, which the run adds")
	case f.Table.Name == rejectedTable || slices.Contains(reservedTables(), f.Table.Name):
		return refuse("Table.Name", f.Table.Name, "a name that no table of the run itself has")
	}
	return nil
}

// variable is the whole name of an environment variable.
func (f *Family) variable(name string) string { return f.Variables + "_" + name }

// network returns a way out that knows what the family calls things, and what it sends through its proxy. Its owner must close it.
func (f *Family) network(c egress.Config) *egress.Network {
	c.Terms = egress.Terms{Site: f.Registry.Site, ProxyVariable: f.variable(f.Proxy.Variable), ProxyKey: f.Registry.Terms.Proxy}
	c.Header = f.Proxy.Header
	return egress.New(c)
}

// terms is what the report calls things.
func (f *Family) terms() report.Terms {
	return report.Terms{Command: f.Name, Site: f.Registry.Site, Sites: f.Registry.Sites, ExpectBad: f.variable("EXPECT_BAD"), Zone: f.Zone}
}
