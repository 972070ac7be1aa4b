package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/registry"
)

// The built-in authors, and what they said.
var (
	authors = map[string]string{"Ada": "December 10, 1815", "Grace": "December 09, 1906"}
	said    = []struct{ author, text, tags string }{
		{"Ada", "“The engine weaves patterns.”", "engines weaving"}, {"Grace", "“Ask forgiveness.”", "work"}, {"Ada", "“I am in a charming state of confusion.”", ""},
		{"Grace", "“A ship in port is safe.”", "ships courage"}, {"Ada", "“Your best and wisest refuge.”", "sky"},
	}
)

const perPage = 2

// wall is a built-in site that looks like the one of the tutorial.
func wall(registry.Entry, time.Time) http.Handler {
	mux := http.NewServeMux()
	page := func(w http.ResponseWriter, n int) {
		for i := (n - 1) * perPage; i < min(n*perPage, len(said)); i++ {
			q := said[i]
			fmt.Fprintf(w, `<div class="quote"><span class="text">%s</span><span>by <small class="author">%s</small> <a href="/author/%s">(about)</a></span><div class="tags">`, q.text, q.author, q.author)
			for _, tag := range strings.Fields(q.tags) {
				fmt.Fprintf(w, `<a class="tag" href="/tag/%s/">%s</a>`, tag, tag)
			}
			fmt.Fprint(w, `</div></div>`)
		}
		if n*perPage < len(said) {
			fmt.Fprintf(w, `<ul class="pager"><li class="next"><a href="/page/%d/">Next</a></li></ul>`, n+1)
		}
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { page(w, 1) })
	mux.HandleFunc("GET /page/{n}/{$}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("n"))
		if err != nil || n < 1 {
			http.NotFound(w, r)
			return
		}
		page(w, n)
	})
	mux.HandleFunc("GET /author/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		fmt.Fprintf(w, `<div class="author-details"><h3 class="author-title">%s</h3><span class="author-born-date">%s</span> <span class="author-born-location">in London</span></div>`, name, authors[name])
	})
	return mux
}
