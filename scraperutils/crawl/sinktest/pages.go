package sinktest

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Pages makes the n pages from number from on. The same numbers give the same pages, with bodies of every kind that a sink may meet.
func Pages(from, n int) []*crawl.Page {
	pages := make([]*crawl.Page, n)
	for i := range pages {
		pages[i] = page(from + i)
	}
	return pages
}

func page(n int) *crawl.Page {
	random := rand.New(rand.NewPCG(uint64(n), 14))
	kind, body := body(random, n)
	return Page(fmt.Sprintf("http://host%d.example/page/%d?q=a&b=%%20", n%7, n), kind, body)
}

// Page makes the page of a URL.
func Page(address, kind string, body []byte) *crawl.Page {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // a test's mistake
	}
	header := http.Header{"Server": {"test"}, "Set-Cookie": {"a=1", "b=2"}}
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	media, _, _ := strings.Cut(kind, ";")
	id, sum := sha1.Sum([]byte(address)), sha256.Sum256(body)
	h := hex.EncodeToString(id[:16])
	return &crawl.Page{
		ID:  h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:],
		URL: address, Final: address, Host: scraperutils.HostOf(u),
		Request: &scraperutils.Request{Method: http.MethodGet, URL: u, Header: http.Header{"Accept": {"text/html"}}},
		Status:  http.StatusOK, Header: header, Body: body, Type: media, Digest: hex.EncodeToString(sum[:]),
		At: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC), Took: 120 * time.Millisecond, Attempts: 1,
	}
}

// body is one of the kinds that there are.
func body(random *rand.Rand, n int) (kind string, b []byte) {
	html := "text/html; charset=utf-8"
	switch n % 10 {
	case 0:
		return html, nil
	case 1: // no text
		b = make([]byte, random.IntN(5000))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return "application/octet-stream", b
	case 2: // every byte that could end a line, a record or a terminal's patience
		return html, []byte("\r\n\r\nWARC/1.1\r\n\x00\x1b]0;x\x07\u0085\u009b31m\u2028\u2029\x7f\"\\</script>\n")
	case 3:
		return "text/html; charset=iso-8859-1", []byte("caf\xe9 \x85 fin")
	case 4: // it breaks the charset that it claims
		return html, []byte("half a r\xc3")
	case 5: // large
		return "", []byte(strings.Repeat(fmt.Sprintf("<p>%d Ω\n", random.Uint64()), 3_000))
	case 6:
		return "text/html; charset=utf-16", []byte("\xff\xfeh\x00i\x00")
	}
	return html, []byte(strings.Repeat(fmt.Sprintf("<p>%d é 😀</p>\n", random.Uint64()), random.IntN(400)))
}
