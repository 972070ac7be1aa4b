package scheduler_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// Two sites, each with a scraper that reads from top to bottom; one SQLite file.
func Example() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<h2>A shed</h2><h2>A pool</h2>`)
	}))
	defer site.Close()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)

	file, err := db.Open(context.Background(), filepath.Join(folder, "notices.sqlite"), db.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	transport := fetch.NewTransport(fetch.TransportConfig{})
	s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
	for _, label := range []string{"north", "south"} {
		ledger := file.Ledger("notices", "site", "title")
		scrape := func(ctx context.Context) error {
			page, err := agent.New(agent.Config{Fetch: fetch.Config{Transport: transport}}).Get(ctx, site.URL)
			if err != nil {
				return fmt.Errorf("fetch the notices: %w", err)
			}
			document, err := page.Document()
			if err != nil {
				return err
			}
			for _, heading := range document.Find("h2").EachIter() {
				if err := ledger.Save(scraperutils.Record{{Name: "site", Value: label}, {Name: "title", Value: heading.Text()}}); err != nil {
					return err
				}
			}
			return nil
		}
		if err := s.Register(label, scrape, scheduler.SavesTo(ledger)); err != nil {
			log.Fatal(err)
		}
	}
	results, err := s.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range results.Operations {
		fmt.Println(o.Label, o.Records, o.Err)
	}
	// Output:
	// north 2 <nil>
	// south 2 <nil>
}
