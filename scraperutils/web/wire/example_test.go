package wire_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"

	"github.com/multiscraper/multiscraper/scraperutils/web/wire"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a page") }))
	defer server.Close()
	transport := wire.New(wire.Config{Dial: new(net.Dialer).DialContext, Next: http.DefaultTransport, MaxIdle: 2})
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(string(body), err)
	// Output: a page <nil>
}
