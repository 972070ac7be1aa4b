package exhibit_test

import (
	"fmt"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils/run/exhibit"
)

func ExampleClean() {
	markup, title, err := exhibit.Clean(`<title>List</title><p onclick="x()">See <a href="/next">page 2</a><script>track()</script></p>`)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, body, _ := strings.Cut(markup, "<body>")
	fmt.Println(title)
	fmt.Println(strings.TrimSuffix(body, "</body></html>"))
	// Output:
	// List
	// <p>See <a title="/next">page 2</a></p>
}
