package cassette_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// BenchmarkRecord is one exchange that goes through a recorder, against one that does not.
func BenchmarkRecord(b *testing.B) {
	for _, size := range []int{4 << 10, 60 << 10} {
		page := bytes.Repeat([]byte("x"), size)
		site := fake(func(*http.Request) *http.Response {
			return &http.Response{StatusCode: 200, Header: http.Header{"Server": {"nginx"}}, ContentLength: -1, Body: io.NopCloser(bytes.NewReader(page))}
		})
		limited := cassette.Options{MaxBytes: 20 << 20}
		for name, rt := range map[string]http.RoundTripper{
			"bare":   site,
			"memory": cassette.NewRecorder(site, limited),
			"disk":   cassette.NewRecorder(site, cassette.Options{MaxBytes: limited.MaxBytes, MaxHeadBytes: 1 << 19, Spool: spool(b, 0)}),
		} {
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) {
				b.ReportAllocs()
				buffer := make([]byte, 16<<10)
				for b.Loop() {
					resp := begin(b, rt, "GET", "http://a.example/list?page=1")
					_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{resp.Body}, buffer)
					require.NoError(b, err)
					require.NoError(b, resp.Body.Close())
				}
			})
		}
	}
}
