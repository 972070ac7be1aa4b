package crawl_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// bodies is a sink that keeps what pages say while it may, and says once that it is full.
type bodies struct {
	full sync.Once
	kept map[string]string // by URL
}

func (b *bodies) Store(_ context.Context, pages []*crawl.Page) (err error) {
	if b.full.Do(func() { err = errors.New("full") }); err != nil {
		return err
	}
	for _, p := range pages {
		b.kept[p.URL] = string(p.Body)
	}
	return nil
}

func (*bodies) Close() error { return nil }

// The room of a body is given back once, when sinks have it or nobody wants it, and not before.
func TestBodiesAreGivenBack(t *testing.T) {
	for name, stores := range map[string]bool{"with a sink": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrew(t, append(entries(10, 20), entry("http://a.example/missing"), entry("http://a.example/busy"))...)
				c.web.answer = func(r *scraperutils.Request, asked int) (*scraperutils.Response, error) {
					code := http.StatusOK
					switch {
					case r.URL.Path == "/missing":
						code = http.StatusNotFound
					case r.URL.Path == "/busy" && asked == 0:
						code = http.StatusServiceUnavailable
					}
					a := page(r)
					a.Status = code
					return a, nil
				}
				sink, freed := &bodies{kept: map[string]string{}}, 0
				var mu sync.Mutex // guards freed
				c.run(t, func(w *crawl.Worker) {
					w.Sinks = nil
					if stores {
						w.Sinks = []crawl.Sink{sink}
					}
					w.Free = func(body []byte) {
						mu.Lock()
						defer mu.Unlock()
						freed++
						assert.True(t, bytes.HasPrefix(body, []byte("page ")), "given back twice")
						copy(body, "XXXXXX")
					}
				})
				assert.Equal(t, 203, freed)
				if stores {
					assert.Len(t, sink.kept, 201)
				}
				for u, body := range sink.kept {
					assert.Equal(t, "page "+u, body)
				}
			})
		})
	}
}

// A page is told to be as it was whichever digest is known of it: archives want SHA-256, others what costs least.
func TestUnchangedByEitherDigest(t *testing.T) {
	for name, stores := range map[string]bool{"stored, then only looked at": true, "looked at, then stored": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := entries(1, 3)
				c := newCrew(t, all...)
				run := func(stores bool) (pages []*crawl.Page) {
					c.run(t, func(w *crawl.Worker) {
						if !stores {
							w.Sinks = nil
						}
						w.OnVisit = func(v crawl.Visit) { pages = append(pages, v.Page) }
					})
					return pages
				}
				for _, p := range run(stores) {
					assert.False(t, p.Unchanged)
				}
				for i := range all {
					all[i].Again = true
				}
				_, err := c.memory.Open().Add(t.Context(), time.Now(), all)
				assert.NoError(t, err)
				for _, p := range run(!stores) {
					assert.True(t, p.Unchanged)
					assert.Len(t, p.Digest, map[bool]int{true: 64, false: 16}[!stores])
				}
			})
		})
	}
}
