package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// Pages of any size, however they are sent, are whole and nobody else's while their room is used again all the time.
func TestBodiesAreUsedAgain(t *testing.T) {
	rooms := new(fetch.Bodies)
	client, base := serve(t, fetch.Config{Bodies: rooms, MaxBody: 1 << 20}, func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.FormValue("size"))
		body := bytes.Repeat([]byte(r.FormValue("letter")), size)
		w.Header().Set("Content-Type", "text/plain")
		switch r.FormValue("how") {
		case "length":
			w.Header().Set("Content-Length", strconv.Itoa(size))
		case "gzip":
			w.Header().Set("Content-Encoding", "gzip")
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write(body)
			_ = z.Close()
			body = b.Bytes()
		}
		_, _ = w.Write(body)
	})
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 40 {
				letter := string('a' + rune(worker))
				size := random.IntN(1 << (1 + random.IntN(20)))
				how := []string{"length", "gzip", "chunks"}[random.IntN(3)]
				a, err := client.Do(context.Background(), get(t, base+"/?size="+strconv.Itoa(size)+"&how="+how+"&letter="+letter))
				if !assert.NoError(t, err) {
					return
				}
				assert.True(t, bytes.Equal(a.Body, bytes.Repeat([]byte(letter), size)), "%d bytes, %s", size, how)
				rooms.Free(a.Body)
			}
		})
	}
	all.Wait()
}

// What does not come from Bodies may be given to it, and does no harm.
func TestFreeingAnything(t *testing.T) {
	rooms := new(fetch.Bodies)
	for _, body := range [][]byte{nil, {}, []byte("short"), make([]byte, 5000), make([]byte, 4096)} {
		rooms.Free(body)
		(*fetch.Bodies)(nil).Free(body)
	}
	client, base := serve(t, fetch.Config{Bodies: rooms}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a page") })
	a, err := client.Do(context.Background(), get(t, base))
	require.NoError(t, err)
	assert.Equal(t, "a page", string(a.Body))
}
