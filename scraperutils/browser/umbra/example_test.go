package umbra_test

import (
	"context"
	"log"
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils/browser/umbra"
)

// heads asks for pages and for nothing that they ask for.
type heads struct{}

// Browse implements umbra.Browser.
func (heads) Browse(ctx context.Context, p umbra.Page) ([]string, error) {
	if err := p.Begin(); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, p.URL, nil)
	if err != nil {
		return nil, &umbra.FinalError{Err: err}
	}
	p.OnRequest(umbra.Request{URL: p.URL, Method: r.Method})
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	return nil, response.Body.Close()
}

func ExampleOpen() {
	ctx := context.Background()
	w, err := umbra.Open(ctx, umbra.Options{URL: "amqp://guest:guest@127.0.0.1:5672/", Browsers: 4}, heads{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	log.Print(w.Run(ctx))
}
