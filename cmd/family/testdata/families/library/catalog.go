package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// What the built-in catalogs have.
const (
	titles  = 7
	perPage = 3
)

// catalogs is the words and dates of those that do not have Alder's.
var catalogs = map[string]struct{ title, author, acquired, date string }{
	"birch": {"Titel", "Verfasser", "Erworben", "2.1.2006"},
	"cedar": {"Titre", "Auteur", "Acquis", "02/01/2006"},
}

// built is a catalog that may be empty, too.
type built struct{ *http.ServeMux }

// ServeEmpty answers as a catalog that has nothing.
func (b built) ServeEmpty(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/hits" {
		fmt.Fprint(w, nothing)
		return
	}
	b.ServeHTTP(w, r)
}

const nothing = `<h1>Hits</h1><p>No titles found.</p>`

// catalog is a built-in catalog: a form, lists of hits, and a page for each title.
func catalog(e registry.Entry, today time.Time) http.Handler {
	says, ok := catalogs[e.Label]
	if !ok {
		says.title, says.author, says.acquired, says.date = "Title", "Author", "Acquired", "2 January 2006"
	}
	subject, _ := e.Options["subject"].(string)
	home, err := url.Parse(e.URL)
	if err != nil {
		return http.NotFoundHandler()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != home.Path {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `<title>Catalog</title><form id="search" action="/hits"><input name="subject"><input type="submit" value="Search"></form>`)
	})
	mux.HandleFunc("GET /hits", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("subject") != subject {
			fmt.Fprint(w, nothing)
			return
		}
		page, _ := strconv.Atoi(r.FormValue("page"))
		fmt.Fprint(w, `<h1>Hits</h1><ol class="hits">`)
		for n := page*perPage + 1; n <= min(page*perPage+perPage, titles); n++ {
			fmt.Fprintf(w, `<li><a href="/title/%d">%s %d</a></li>`, n, subject, n)
		}
		fmt.Fprint(w, `</ol>`)
		if (page+1)*perPage < titles {
			fmt.Fprintf(w, `<a class="next" href="/hits?subject=%s&amp;page=%d">More</a>`, url.QueryEscape(subject), page+1)
		}
	})
	mux.HandleFunc("GET /title/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("n"))
		if err != nil || n < 1 || n > titles {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `<table class="record"><tr><th>ISBN<td>978-0-00-%06d-0<tr><th>%s<td>%s, volume %d<tr><th>%s<td>A. Writer<tr><th>%s<td>%s</table>`,
			n, says.title, subject, n, says.author, says.acquired, today.AddDate(0, 0, -n).Format(says.date))
	})
	return built{mux}
}
