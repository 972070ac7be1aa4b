package civica_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/multiscraper/multiscraper/authorities/civica"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/fetch"
)

func ExampleScraper_Scrape() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, results(application(0, "1 High St TOWN - Lot 2", "Application No.", "12/2019", "Type of Work", "Shed", "Date Lodged", "1/5/2019")))
	}))
	defer server.Close()

	scraper, err := civica.New(scraperutils.Authority{Label: "test", URL: server.URL + "/daEnquiry/currentlyAdvertised.do"}, civica.Options{})
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
	// Output: 12/2019 2019-05-01 1 High St TOWN Shed
}
