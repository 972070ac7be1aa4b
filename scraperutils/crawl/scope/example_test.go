package scope_test

import (
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

func ExampleScope_Follow() {
	s := scope.Scope{Kind: scope.Domain}
	var links []urls.URL
	for _, l := range []string{"http://shop.example.org/1", "http://example.com/", "http://www.example.org/a/a/a/a", "http://www.example.org/seen"} {
		u, err := urls.Form{}.Parse(l)
		if err != nil {
			panic(err)
		}
		links = append(links, u)
	}
	page, err := urls.Form{}.Parse("http://www.example.org/")
	if err != nil {
		panic(err)
	}
	noSeeds := func(string) bool { return false }
	found, _, left := s.Follow(scope.Page{URL: page}, links, noSeeds, func(u urls.URL) bool { return u.Path() == "/seen" })
	fmt.Println(found[0].URL, found[0].Depth, len(found))
	fmt.Println(left[0].Rule, left[0].Count, left[0].Example)
	// Output:
	// http://shop.example.org/1 1 1
	// repeating path 1 http://www.example.org/a/a/a/a
}
