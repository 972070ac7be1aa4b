package registry

import "cmp"

// Terms is what a family calls things, in the keys of its rows and in errors.
type Terms struct {
	Site    string // what one of its sites is called, and the key of its label in a row: "library"; "site" where it is ""
	Sites   string // and several of them; Site with an s where it is ""
	Proxy   string // the key of the sites that are asked through the proxy; "proxy" where it is ""
	Command string // whose subcommand list shows all sites; "" is none
	Example string // a row, for errors; made of the above where it is ""

	// Shared is keys that the rows of all platforms may have, whose value is one text. They are options: a platform that makes use of
	// one has it among its own.
	Shared []string
}

// WithDefaults fills in what is "".
func (t Terms) WithDefaults() Terms {
	t.Site = cmp.Or(t.Site, "site")
	t.Sites = cmp.Or(t.Sites, t.Site+"s")
	t.Proxy = cmp.Or(t.Proxy, "proxy")
	t.Example = cmp.Or(t.Example, "{"+t.Site+": example, platform: p, url: https://…}")
	return t
}

// keys returns the keys that the rows of every platform have.
func (t Terms) keys() []string {
	keys := append([]string{t.Site, "platform", "url"}, t.Shared...)
	return append(keys, "timeout", "tls_insecure", "render", t.Proxy, "least_records", "least_filled")
}
