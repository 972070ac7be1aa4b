package streamtest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Faults says which fraction of reads fails in which way, from 0 to 1.
type Faults struct {
	Throttled float64 // answered with ProvisionedThroughputExceededException
	Expired   float64 // answered with ExpiredIteratorException
	Cut       float64 // the connection ends in the middle of the answer
	Broken    float64 // answered with a 500
	Nonsense  float64 // answered with something other than JSON
}

// Proxy stands between a consumer and a stream, and makes reads fail. Its fields must not change once it is used.
type Proxy struct {
	URL string

	target string
	faults Faults

	mu     sync.Mutex // guards the rest
	random *rand.Rand
	counts map[string]int // of what went wrong, and of "read"
}

// NewProxy starts a proxy to an endpoint. The same seed makes the same requests fail.
func NewProxy(t testing.TB, endpoint string, seed uint64, f Faults) *Proxy {
	t.Helper()
	p := &Proxy{target: endpoint, faults: f, random: rand.New(rand.NewPCG(seed, 2)), counts: map[string]int{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// Counts returns how often each fault happened.
func (p *Proxy) Counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := map[string]int{}
	for what, n := range p.counts {
		counts[what] = n
	}
	return counts
}

// fate decides what becomes of a request.
func (p *Proxy) fate(operation string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if operation != "GetRecords" {
		return ""
	}
	p.counts["read"]++
	at := p.random.Float64()
	for _, f := range []struct {
		what string
		part float64
	}{{"throttled", p.faults.Throttled}, {"expired", p.faults.Expired}, {"cut", p.faults.Cut}, {"broken", p.faults.Broken}, {"nonsense", p.faults.Nonsense}} {
		if at < f.part {
			p.counts[f.what]++
			return f.what
		}
		at -= f.part
	}
	return ""
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	fate := p.fate(operation)
	switch fate {
	case "throttled":
		refuse(w, "ProvisionedThroughputExceededException", "Rate exceeded for shard")
		return
	case "expired":
		refuse(w, "ExpiredIteratorException", "Iterator expired")
		return
	case "broken":
		w.WriteHeader(http.StatusInternalServerError)
		return
	case "nonsense":
		_, _ = io.WriteString(w, "<html>not what you asked for")
		return
	}
	status, header, body, err := p.pass(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	for name, values := range header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if fate == "cut" {
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // what the server calls cutting a connection
	}
	_, _ = w.Write(body)
}

// pass asks the server.
func (p *Proxy) pass(r *http.Request) (status int, header http.Header, body []byte, err error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, nil, nil, err
	}
	request, err := http.NewRequestWithContext(r.Context(), r.Method, p.target+r.URL.Path, bytes.NewReader(asked))
	if err != nil {
		return 0, nil, nil, err
	}
	request.Header = r.Header.Clone()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, body, err
}

func refuse(w http.ResponseWriter, code, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w, `{"__type":%q,"message":%q}`, code, message)
}
