package masterview_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/authorities/masterview"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// printer is a sink that prints.
type printer struct{}

func (printer) Save(_ context.Context, r scraperutils.Record) error {
	fmt.Println(r.Text("council_reference"), "at", r.Text("address"), "for", r.Text("description"), "since", r.Text("date_received"))
	return nil
}

func (printer) Reject(_ context.Context, reference string, why error) error {
	fmt.Println("rejected", reference, why)
	return nil
}

func (printer) Skip(_ context.Context, reference, why string) { fmt.Println("skipped", reference, why) }

func ExampleScraper_Scrape() {
	council := roundTrip(func(*http.Request) string {
		return `{"recordsTotal": 1, "data": [["010.2019.1", "10/2019", "House", "06/05/2019", "36 William St, Forbes 2871 NSW <br/><b>New Dwelling</b>"]]}`
	})
	scraper, err := masterview.New(site.Site{Label: "forbes", URL: "http://planning.forbes.example"}, masterview.Options{UseAPI: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = scraper.Scrape(context.Background(), &site.Visit{
		Agent: agent.New(agent.Config{Fetch: fetch.Config{Transport: council}}),
		Clock: site.Clock{Now: time.Date(2019, 5, 14, 0, 0, 0, 0, time.UTC)},
		Sink:  printer{},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 10/2019 at 36 William St, Forbes 2871 NSW for New Dwelling since 2019-05-06
}

func ExampleNew() {
	_, err := masterview.New(site.Site{Label: "forbes", URL: "http://planning.forbes.example"}, masterview.Options{PageSize: -5})
	fmt.Println(err)
	// Output: page_size: can't use "-5": expected a number of applications, such as 100
}
