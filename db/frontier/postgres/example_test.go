package postgres_test

import (
	"context"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// A program adds a URL, which whatever worker has the host then fetches.
func ExampleOpen() {
	ctx := context.Background()
	f, err := postgres.Open(ctx, "postgres://crawl:secret@db.example/crawl", postgres.Options{})
	if err != nil {
		fmt.Println(err) // open frontier postgres://crawl@db.example/crawl: no PostgreSQL answers there …
		return
	}
	defer f.Close()
	added, err := f.Add(ctx, time.Now(), []crawl.Entry{{Host: scraperutils.Host{Name: "example.org", Port: "443"}, URL: "https://example.org/"}})
	fmt.Println(added.New, err)
}
