package report

import "time"

// Links says where the other pages are, as a page refers to them. What is "" or nil is not there. The zero value is of a page that stands
// alone.
type Links struct {
	Index     string
	History   string
	Compare   string
	Now       string // the run as it goes
	Workers   string // what workers elsewhere do
	Asks      bool   // Compare takes two runs, as a and b, and by how many percent figures must differ
	Authority func(label string) string
	Run       func(id string) string
}

// Served returns the links of a server's pages. now is where it shows the run as it goes.
func Served(now string) Links {
	return Links{
		Index: "/", History: "/history", Compare: "/compare", Now: now, Asks: true,
		Authority: func(label string) string { return "/" + AuthorityFolder + "/" + PageName(label) },
		Run:       func(id string) string { return "/run/" + id },
	}
}

// Filed returns the links of pages in files. up leads to the folder of the index: "" or "../". compared says whether there is a page of two
// runs.
func Filed(up string, compared bool) Links {
	l := Links{
		Index: up + "index.html", History: up + "history.html",
		Authority: func(label string) string { return up + AuthorityFolder + "/" + PageName(label) },
	}
	if compared {
		l.Compare = up + "compare.html"
	}
	return l
}

func (l Links) authority(label string) string {
	if l.Authority == nil {
		return ""
	}
	return l.Authority(label)
}

func (l Links) run(id string) string {
	if l.Run == nil || id == "" {
		return ""
	}
	return l.Run(id)
}

// compare leads to the comparison of a run with the one before it.
func (l Links) compare(id string) string {
	if !l.Asks {
		return ""
	}
	return l.Compare + "?b=" + id
}

// pageLink is a link to one of the pages.
type pageLink struct {
	Name, Href string
	Current    bool
}

// pages is the links that every page has, of which one may be of the page itself.
func (l Links) pages(current string) (all []pageLink) {
	for _, p := range []pageLink{{Name: "Last run", Href: l.Index}, {Name: "History", Href: l.History}, {Name: "Compare", Href: l.Compare}, {Name: "Now", Href: l.Now}, {Name: "Workers", Href: l.Workers}} {
		if p.Href != "" {
			p.Current = p.Href == current
			all = append(all, p)
		}
	}
	return all
}

// Cover is what a page says of where it comes from.
type Cover struct {
	Database string
	Made     time.Time
	MadeUp   bool // all is of built-in sites
	Terms    Terms
	Links    Links
}

func (o *Overview) cover(l Links) Cover {
	return Cover{Database: o.Database, Made: o.Made, MadeUp: o.MadeUp, Terms: o.Terms, Links: l}
}
