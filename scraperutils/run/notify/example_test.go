package notify_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/multiscraper/multiscraper/scraperutils/run/notify"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Println(r.Method, r.URL.Path) }))
	defer server.Close()
	address, err := notify.ParseWebhook(server.URL + "/services/key")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = notify.Deliver(context.Background(), notify.NewWebhook(address, nil), notify.Message{JSON: []byte(`{"text":"140 ok"}`)})
	fmt.Println(err)
	// Output:
	// POST /services/key
	// <nil>
}
