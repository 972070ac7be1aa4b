package scraperutils_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestRecord(t *testing.T) {
	r := scraperutils.Record{{Name: "b", Value: "<é>"}, {Name: "a", Value: 1}, {Name: "n", Value: nil}}
	assert.Equal(t, "1", r.Text("a"))
	assert.Equal(t, "", r.Text("n"))
	assert.Equal(t, "", r.Text("missing"))
	_, ok := r.Get("n")
	assert.True(t, ok, "NULL is a value")
	_, ok = r.Get("missing")
	assert.False(t, ok)

	changed := r.With("a", 2).With("c", 3)
	assert.Equal(t, "1", r.Text("a"), "the record itself stays as it was")
	text, err := json.Marshal(changed)
	require.NoError(t, err)
	assert.Equal(t, `{"b":"\u003cé\u003e","a":2,"n":null,"c":3}`, string(text), "fields keep their order")
	_, err = json.Marshal(scraperutils.Record{{Name: "f", Value: func() {}}})
	assert.ErrorContains(t, err, "field f")
	text, err = json.Marshal(scraperutils.Record(nil))
	require.NoError(t, err)
	assert.Equal(t, "{}", string(text))
}

func TestTrimLeavesNoBreakSpaces(t *testing.T) {
	assert.Equal(t, "\u00a0x\u00a0", scraperutils.Trim(" \t\r\n\v\f\u00a0x\u00a0 \n"))
	assert.True(t, scraperutils.Blank(" \t\n"))
	assert.False(t, scraperutils.Blank("\u00a0"))
}

func TestHostOf(t *testing.T) {
	for raw, want := range map[string]scraperutils.Host{
		"http://A.example/x":           {Name: "a.example", Port: "80"},
		"https://a.example":            {Name: "a.example", Port: "443"},
		"HTTPS://a.example:444/":       {Name: "a.example", Port: "444"},
		"http://user:secret@a.example": {Name: "a.example", Port: "80"},
		"http://[::1]:8080/":           {Name: "::1", Port: "8080"},
	} {
		u, err := url.Parse(raw)
		require.NoError(t, err)
		assert.Equal(t, want, scraperutils.HostOf(u), raw)
	}
	assert.Equal(t, "a.example", scraperutils.Host{Name: "a.example", Port: "443"}.String())
	assert.Equal(t, "a.example:81", scraperutils.Host{Name: "a.example", Port: "81"}.String())
}

func TestRequest(t *testing.T) {
	u, err := url.Parse("http://user:secret@a.example/x")
	require.NoError(t, err)
	r := &scraperutils.Request{Method: "POST", URL: u}
	assert.Equal(t, "POST http://a.example/x", r.String(), "no user and no password in logs")
	assert.False(t, r.Idempotent())
	assert.True(t, (&scraperutils.Request{Method: "GET"}).Idempotent())
}

func TestClassOf(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want scraperutils.Class
	}{
		"nothing":                   {nil, scraperutils.ClassNone},
		"404":                       {&scraperutils.StatusError{Status: 404}, scraperutils.ClassHTTP4xx},
		"101":                       {&scraperutils.StatusError{Status: 101}, scraperutils.ClassProtocol},
		"206":                       {&scraperutils.StatusError{Status: 206}, scraperutils.ClassProtocol},
		"302":                       {&scraperutils.StatusError{Status: 302}, scraperutils.ClassHTTP3xx},
		"304":                       {&scraperutils.StatusError{Status: 304}, scraperutils.ClassHTTP3xx},
		"499":                       {&scraperutils.StatusError{Status: 499}, scraperutils.ClassHTTP4xx},
		"599":                       {&scraperutils.StatusError{Status: 599}, scraperutils.ClassHTTP5xx},
		"600":                       {&scraperutils.StatusError{Status: 600}, scraperutils.ClassProtocol},
		"999":                       {&scraperutils.StatusError{Status: 999}, scraperutils.ClassProtocol},
		"000":                       {&scraperutils.StatusError{}, scraperutils.ClassProtocol},
		"an alert":                  {&net.OpError{Op: "remote error", Err: tls.AlertError(40)}, scraperutils.ClassTLS},
		"an alert of ours":          {&net.OpError{Op: "local error", Err: errors.New("tls: bad record MAC")}, scraperutils.ClassTLS},
		"no TLS":                    {&url.Error{Err: http.ErrSchemeMismatch}, scraperutils.ClassTLS},
		"429":                       {&scraperutils.StatusError{Status: 429}, scraperutils.ClassRateLimited},
		"503":                       {&scraperutils.StatusError{Status: 503}, scraperutils.ClassHTTP5xx},
		"wrapped":                   {fmt.Errorf("fetch detail of DA/12: %w", &scraperutils.StatusError{Status: 500}), scraperutils.ClassHTTP5xx},
		"joined":                    {errors.Join(errors.New("x"), &scraperutils.LayoutError{}), scraperutils.ClassLayout},
		"a record":                  {&scraperutils.UnprocessableRecord{}, scraperutils.ClassQuality},
		"a site":                    {&scraperutils.UnprocessableSite{}, scraperutils.ClassQuality},
		"a site, for robots":        {&scraperutils.UnprocessableSite{Kind: scraperutils.ClassRobots}, scraperutils.ClassRobots},
		"no such host":              {&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, scraperutils.ClassDNS},
		"refused":                   {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, scraperutils.ClassConnect},
		"reset":                     {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, scraperutils.ClassConnect},
		"half a body":               {io.ErrUnexpectedEOF, scraperutils.ClassConnect},
		"a certificate":             {&url.Error{Err: x509.UnknownAuthorityError{}}, scraperutils.ClassTLS},
		"a read that took too long": {&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, scraperutils.ClassTimeout},
		"a deadline":                {context.DeadlineExceeded, scraperutils.ClassTimeout},
		"anything else":             {errors.New("x"), scraperutils.ClassOther},
	} {
		assert.Equal(t, c.want, scraperutils.ClassOf(c.err), name)
	}
}

func TestUnreached(t *testing.T) {
	assert.True(t, scraperutils.Unreached(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}))
	assert.True(t, scraperutils.Unreached(&net.DNSError{}))
	assert.False(t, scraperutils.Unreached(&net.OpError{Op: "read", Err: syscall.ECONNRESET}))
	assert.False(t, scraperutils.Unreached(nil))
}

func TestErrorTexts(t *testing.T) {
	for want, err := range map[string]error{
		"404 Not Found for http://a.example":                                       &scraperutils.StatusError{Status: 404, URL: "http://a.example"},
		"302 Found for http://a.example, which names no other page":                &scraperutils.StatusError{Status: 302, URL: "http://a.example"},
		"304 Not Modified for http://a.example, of which nothing is kept":          &scraperutils.StatusError{Status: 304, URL: "http://a.example"},
		"206 Partial Content for http://a.example, of which no part was asked for": &scraperutils.StatusError{Status: 206, URL: "http://a.example"},
		"status 999 for http://a.example":                                          &scraperutils.StatusError{Status: 999, URL: "http://a.example"},
		"status 000 for http://a.example":                                          &scraperutils.StatusError{URL: "http://a.example"},
		"no column address in http://a.example (found: Ward, Status)":              &scraperutils.LayoutError{URL: "http://a.example", Missing: "column address", Found: []string{"Ward", "Status"}},
		"no table.grid in http://a.example":                                        &scraperutils.LayoutError{URL: "http://a.example", Missing: "table.grid"},
		`MORPH_RUN_TIMEOUT: can't use "abc": expected seconds`:                     &scraperutils.ConfigError{Name: "MORPH_RUN_TIMEOUT", Value: "abc", Accepted: "seconds"},
		"too many: x": &scraperutils.UnprocessableSite{Reason: "too many", Err: errors.New("x")},
		"too many":    &scraperutils.UnprocessableSite{Reason: "too many"},
		"bad: x":      &scraperutils.UnprocessableRecord{Reason: "bad", Err: errors.New("x")},
	} {
		assert.EqualError(t, err, want)
	}
	cause := errors.New("x")
	assert.ErrorIs(t, &scraperutils.UnprocessableSite{Err: cause}, cause)
	assert.ErrorIs(t, &scraperutils.UnprocessableRecord{Err: cause}, cause)
}

func TestTookOfAnOutcome(t *testing.T) {
	began := time.Now()
	o := scraperutils.Outcome{Started: began, Ended: began.Add(3 * time.Second)}
	assert.Equal(t, 3*time.Second, o.Took())
	o.Response = &scraperutils.Response{CrawlDelay: time.Second}
	assert.Equal(t, 3*time.Second, o.Took(), "it has not answered")
	o.Response = &scraperutils.Response{Status: 200, Took: time.Second}
	assert.Equal(t, time.Second, o.Took(), "the server's own time, where it is known")
}

func ExampleClassOf() {
	err := fmt.Errorf("fetch the list: %w", &scraperutils.StatusError{Status: 503, URL: "https://a.example/list"})
	fmt.Println(scraperutils.ClassOf(err))
	// Output: http-5xx
}
