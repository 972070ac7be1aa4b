package main

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

type saying struct{ author, text, tags string }

// The built-in authors, and what they said.
var (
	authors = map[string]string{"Ada": "December 10, 1815", "Grace": "December 09, 1906"}
	said    = []saying{
		{"Ada", "“The engine weaves patterns.”", "engines weaving"}, {"Grace", "“Ask forgiveness.”", "work"}, {"Ada", "“I am in a charming state of confusion.”", "work"},
		{"Grace", "“A ship in port is safe.”", ""}, {"Ada", "“Your best and wisest refuge.”", "sky work"},
	}
)

const perPage = 2

// wall is a built-in site that looks like the one of the tutorial: all quotes, those with a tag, and a page for each author.
func wall(registry.Entry, time.Time) http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"GET /{$}", "GET /page/{n}/{$}", "GET /tag/{tag}/{$}", "GET /tag/{tag}/page/{n}/{$}"} {
		mux.HandleFunc(path, list)
	}
	mux.HandleFunc("GET /author/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		fmt.Fprintf(w, `<div class="author-details"><h3 class="author-title">%s</h3><span class="author-born-date">%s</span> <span class="author-born-location">in London</span></div>`, name, authors[name])
	})
	return mux
}

// list writes a page of quotes.
func list(w http.ResponseWriter, r *http.Request) {
	tag := r.PathValue("tag")
	n, _ := strconv.Atoi(r.PathValue("n"))
	n = max(n, 1)
	matching := slices.DeleteFunc(slices.Clone(said), func(q saying) bool { return tag != "" && !slices.Contains(strings.Fields(q.tags), tag) })
	for i := (n - 1) * perPage; i < min(n*perPage, len(matching)); i++ {
		q := matching[i]
		fmt.Fprintf(w, `<div class="quote"><span class="text">%s</span><span>by <small class="author">%s</small> <a href="/author/%s">(about)</a></span><div class="tags">`, q.text, q.author, q.author)
		for _, t := range strings.Fields(q.tags) {
			fmt.Fprintf(w, `<a class="tag" href="/tag/%s/">%s</a>`, t, t)
		}
		fmt.Fprint(w, `</div></div>`)
	}
	if n*perPage < len(matching) {
		home, _, _ := strings.Cut(r.URL.Path, "page/")
		fmt.Fprintf(w, `<ul class="pager"><li class="next"><a href="%spage/%d/">Next</a></li></ul>`, home, n+1)
	}
}
