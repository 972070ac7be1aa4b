package epathway_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/multiscraper/multiscraper/authorities/epathway"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/fetch"
)

func ExampleScraper_Scrape() {
	server := httptest.NewServer(newSite(table([]string{"12/2019", "1/05/2019", "A shed", "1 High St, Kew"})))
	defer server.Close()

	scraper, err := epathway.New(scraperutils.Authority{Label: "test", URL: server.URL + "/ePathway", State: "VIC"}, epathway.Options{List: "all"})
	if err != nil {
		fmt.Println(err)
		return
	}
	found := &registertest.Memory{ByReference: map[string]map[string]string{}}
	visit := &register.Visit{Agent: agent.New(agent.Config{Fetch: fetch.Config{Transport: http.DefaultTransport}}), Clock: register.Clock{Now: time.Now()}, Sink: found}
	if err := scraper.Scrape(context.Background(), visit); err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range found.Rows() {
		fmt.Println(row["council_reference"], row["date_received"], row["address"], row["description"])
	}
	// Output: 12/2019 2019-05-01 1 High St, Kew, VIC A shed
}
