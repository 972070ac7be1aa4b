package horizon_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/multiscraper/multiscraper/authorities/horizon"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/fetch"
)

func ExampleScraper_Scrape() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, dataset("1", row("AccountNumber", "DA 12.1", "Property", "1 High St TOWN 2000, Lot 2", "Description", "Shed", "Lodged", "1/5/2019")))
	}))
	defer server.Close()

	scraper, err := horizon.New(scraperutils.Authority{Label: "test", URL: server.URL + "/Horizon/logonGuest.aw", State: "NSW"}, horizon.Options{})
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
	// Output: DA 12.1 2019-05-01 1 High St TOWN 2000 NSW Shed
}
