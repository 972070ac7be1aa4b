package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// A crawl that scrapes: links are followed on the host of what is added, and each page of an application becomes a record, which is on
// the disk before the page counts as done.
func ExampleWorker() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, map[string]string{
			"/":    `<a href="/da?id=1">one</a> <a href="/da?id=2&sid=5f3a">two</a> <a rel=nofollow href="/login">log in</a>`,
			"/da1": `<h1>1 Main Street</h1> <a href="/">back</a>`,
			"/da2": `<h1>2 Side Street</h1> <a href="/da?id=1">next</a>`,
		}[r.URL.Path+r.URL.Query().Get("id")])
	}))
	defer site.Close()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	data, err := db.Open(ctx, filepath.Join(folder, "data.sqlite"), db.Options{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = data.Close() }()
	applications := data.Ledger("applications", "url")
	address := regexp.MustCompile(`<h1>(.*)</h1>`)

	f, err := frontier.Open(ctx, filepath.Join(folder, "frontier.sqlite"), time.Now(), frontier.Options{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = f.Close() }()
	front, err := urls.Form{}.Parse(site.URL)
	if err != nil {
		panic(err)
	}
	if _, err := f.Add(ctx, time.Now(), []crawl.Entry{{Host: front.Host(), URL: front.String()}}); err != nil {
		panic(err)
	}

	s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoRetry: true, DownFor: time.Minute})})
	go func() { _ = s.Serve(ctx) }()
	w := &crawl.Worker{
		Name: "example", Frontier: f, Scheduler: s,
		Client: fetch.New(fetch.Config{Transport: fetch.NewTransport(fetch.TransportConfig{}), Robots: robots.NewCache(robots.Config{})}),
		Scope:  scope.Scope{Kind: scope.Host},
		Handle: func(ctx context.Context, p *crawl.Page) error {
			found := address.FindSubmatch(p.Body)
			if found == nil {
				return nil // not every page is one
			}
			page, err := urls.Form{}.Parse(p.URL)
			if err != nil {
				return err
			}
			err = applications.Save(scraperutils.Record{{Name: "url", Value: page.PathQuery()}, {Name: "address", Value: string(found[1])}})
			if err != nil {
				return err
			}
			return applications.Settle(ctx)
		},
	}
	fmt.Println(w.Run(ctx))
	for r, err := range data.Query(ctx, "SELECT url, address FROM applications ORDER BY url") {
		if err != nil {
			panic(err)
		}
		fmt.Println(r.Text("url"), r.Text("address"))
	}
	// Output:
	// <nil>
	// /da?id=1 1 Main Street
	// /da?id=2 2 Side Street
}
