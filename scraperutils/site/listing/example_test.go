package listing_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/multiscraper/multiscraper/scraperutils/site/listing"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

func ExamplePages() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.RequestURI() {
		case "/books":
			fmt.Fprint(w, `<ul><li>Rye</li><li>Barley</li></ul><a class="next" href="/books?page=2">Next</a>`)
		case "/books?page=2":
			fmt.Fprint(w, `<ul><li>Oats</li></ul>`)
		}
	}))
	defer site.Close()
	browser := agent.New(agent.Config{})
	for page, err := range listing.Pages(context.Background(), browser, site.URL+"/books", listing.NextLink("a.next")) {
		if err != nil {
			fmt.Println(err)
			return
		}
		books, err := listing.Rows(page, "li")
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, book := range books.EachIter() {
			fmt.Println(book.Text())
		}
	}
	// Output:
	// Rye
	// Barley
	// Oats
}
