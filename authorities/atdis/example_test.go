package atdis_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/multiscraper/multiscraper/authorities/atdis"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/fetch"
)

func ExampleScraper_Scrape() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, feed(last, application(described+`, "lodgement_date": "2016-03-21T15:00:00Z"`, reference+","+located)))
	}))
	defer server.Close()

	scraper, err := atdis.New(scraperutils.Authority{Label: "test", URL: server.URL + "/atdis/1.0"}, atdis.Options{Timezone: "Australia/Sydney"})
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
	// Output: DA-1 2016-03-22 1 High St, LARGS, NSW 2320 Shed
}
