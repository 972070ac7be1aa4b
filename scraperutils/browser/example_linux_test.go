package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/multiscraper/multiscraper/scraperutils/browser"
)

func Example() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			_, _ = fmt.Fprint(w, `<link rel=icon href="data:,"><script>fetch("/news", {method: "POST", body: "page=1"}).then(() => document.body.append("news"))</script>`)
		}
	}))
	defer site.Close()
	b, err := browser.Open(context.Background(), browser.Options{AllowPrivate: true}) // the site is on this machine
	if err != nil {
		fmt.Println(err) // no Chromium: the example has no output to compare then
		return
	}
	defer b.Close()
	result, err := b.Visit(context.Background(), browser.Visit{URL: site.URL, OnRequest: func(r browser.Request) {
		if r.PostData != nil {
			fmt.Println(r.Method, *r.PostData)
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, result.Requests)
}
