package cassette_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

func ExampleLoad() {
	c, err := cassette.Load("testdata/kyogle.yml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range c.Interactions {
		fmt.Println(i.Request.Method, i.Request.URL, i.Response.Status)
	}
	_, err = cassette.Load("testdata/missing.yml")
	fmt.Println(err)
	// Output:
	// GET https://council.example/register?page=1&from=14%2F05%2F2019 200
	// POST https://council.example/register 500
	// load cassette: open testdata/missing.yml: no such file or directory
}

func ExampleCassette_Player() {
	c, err := cassette.Load("testdata/kyogle.yml")
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: c.Player()}
	resp, err := client.Get("https://council.example//register?from=14/05/2019&page=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Printf("%s %q %v\n", resp.Status, body, err)

	_, err = client.Get("https://council.example/register?from=14/05/2019&page=1") // a second time
	var noMatch *cassette.NoMatchError
	if errors.As(err, &noMatch) {
		fmt.Println(noMatch.Played, noMatch.Nearest)
	}
	// Output:
	// 200 OK "DA 1/2019,\r\n DA 2/2019" <nil>
	// true POST https://council.example/register
}

func ExampleNewRecorder() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "DA 1/2019")
	}))
	recorder := cassette.NewRecorder(http.DefaultTransport, cassette.Options{
		MaxBytes: 20 << 20,
		Secrets:  []string{"the proxy's password"},
	})
	visit := func(transport http.RoundTripper) {
		resp, err := (&http.Client{Transport: transport}).Get(site.URL + "/register")
		if err != nil {
			fmt.Println(err)
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		fmt.Println(string(body), err)
	}
	visit(recorder)
	site.Close()

	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "kyogle.yml")
	if err := recorder.Write(path); err != nil {
		fmt.Println(err)
		return
	}
	c, err := cassette.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	visit(c.Player())
	// Output:
	// DA 1/2019 <nil>
	// DA 1/2019 <nil>
}

func ExampleCassette_Write() {
	c := &cassette.Cassette{Interactions: []cassette.Interaction{{
		Request:  cassette.Request{Method: "GET", URL: "https://me:hunter2@council.example/"},
		Response: cassette.Response{Status: 200, Body: cassette.NewBody([]byte("welcome to hunter2"))},
	}}}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "kyogle.yml")
	if err := c.Write(path, "hunter2"); err != nil {
		fmt.Println(err)
		return
	}
	read, err := cassette.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := read.Interactions[0].Response.Body.Bytes()
	fmt.Println(read.Interactions[0].Request.URL)
	fmt.Println(string(body), err)
	// Output:
	// https://%3CREDACTED%3E@council.example/
	// welcome to <REDACTED> <nil>
}
