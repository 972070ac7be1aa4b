package extract_test

import (
	"fmt"
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
)

func ExampleHTML_Links() {
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	page := `<base href="/news/"> <a href="today">today</a> <a rel="nofollow" href="/ads">ads</a> <a href="mailto:a@example.org">write</a>`
	found, err := extract.HTML{}.Links(header, []byte(page))
	fmt.Println(found.Base, err)
	for _, l := range found.Links {
		fmt.Println(l.URL)
	}
	// Output:
	// /news/ <nil>
	// today
	// mailto:a@example.org
}
