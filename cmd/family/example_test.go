package family_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/registry"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// rows is the sites of the family.
const rows = `
- {court: north, platform: notices, url: "https://north.example/"}
- {court: south, platform: notices, url: "https://south.example/"}
`

// newNotices makes what reads one court.
func newNotices(s site.Site, _ struct{}) (site.Scraper, error) {
	return site.ScraperFunc(func(ctx context.Context, v *site.Visit) error {
		page, err := v.Agent.Get(ctx, s.URL)
		if err != nil {
			return fmt.Errorf("fetch the notices: %w", err)
		}
		document, err := page.Document()
		if err != nil {
			return err
		}
		for _, li := range document.Find("li").EachIter() {
			if err := v.Save(ctx, scraperutils.Record{{Name: "notice", Value: li.Text()}}); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// builtIn is the built-in site of a court.
func builtIn(e registry.Entry, _ time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "<ul><li>%s 1<li>%s 2</ul>", e.Label, e.Label)
	})
}

// Courts are a family of sites. A program says Main(courts), and has everything that scrape has.
func Example() {
	courts := family.Family{
		Name: "courts",
		Registry: registry.Config{
			Terms:     registry.Terms{Site: "court", Sites: "courts"},
			Rows:      []byte(rows),
			Platforms: registry.Platforms{"notices": registry.Platform(newNotices)},
		},
		Table:   family.Table{Keys: []string{"notice"}},
		BuiltIn: family.Handlers(builtIn),
	}
	folder, err := os.MkdirTemp("", "courts")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	db := filepath.Join(folder, "data.sqlite")
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	fmt.Println(family.Run(courts, []string{"--fixtures", "--no-delay", "--db", db}, nil, log, os.Stdout))
	fmt.Println(family.Run(courts, []string{"export", "--db", db}, nil, os.Stdout, os.Stdout))
	// Output:
	// 0
	// notice,court
	// north 1,north
	// north 2,north
	// south 1,south
	// south 2,south
	// 0
}
