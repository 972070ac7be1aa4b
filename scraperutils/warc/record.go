package warc

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// The profiles of revisit records (WARC 1.1, 6.7).
const (
	profileDigest      = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	profileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// record is one record: its header fields in order, and its block.
type record struct {
	fields [][2]string
	block  [][]byte
}

func (r *record) field(name, value string) {
	if value != "" {
		r.fields = append(r.fields, [2]string{name, oneLine(value)})
	}
}

// writeTo writes the record as it stands in a file that is not compressed.
func (r *record) writeTo(w io.Writer) error {
	var head bytes.Buffer
	head.WriteString("WARC/1.1\r\n")
	length := 0
	for _, b := range r.block {
		length += len(b)
	}
	for _, f := range r.fields {
		head.WriteString(f[0] + ": " + f[1] + "\r\n")
	}
	head.WriteString("Content-Length: " + strconv.Itoa(length) + "\r\n\r\n")
	for _, b := range append(append([][]byte{head.Bytes()}, r.block...), []byte("\r\n\r\n")) {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// pageRecords returns what is kept of a page: the answer, and the request that it came of.
func pageRecords(p *crawl.Page, info string) []*record {
	at, target := date(p.At), p.Final
	answer := &record{}
	kind := "response"
	if p.Unchanged {
		kind = "revisit"
	}
	answer.field("WARC-Type", kind)
	answer.field("WARC-Record-ID", recordID(p.ID))
	answer.field("WARC-Date", at)
	answer.field("WARC-Target-URI", target)
	answer.field("WARC-Warcinfo-ID", info)
	switch {
	case p.Unchanged && p.Status == http.StatusNotModified:
		answer.field("WARC-Profile", profileNotModified)
	case p.Unchanged:
		answer.field("WARC-Profile", profileDigest)
	}
	if p.Unchanged {
		answer.field("WARC-Refers-To-Target-URI", target)
		if !p.Before.IsZero() {
			answer.field("WARC-Refers-To-Date", date(p.Before))
		}
	}
	if p.Digest != "" {
		answer.field("WARC-Payload-Digest", "sha256:"+p.Digest)
	}
	answer.field("Content-Type", "application/http; msgtype=response")
	answer.block = [][]byte{responseHead(p)}
	if !p.Unchanged {
		answer.block = append(answer.block, p.Body)
	}

	request := &record{}
	request.field("WARC-Type", "request")
	request.field("WARC-Record-ID", newID())
	request.field("WARC-Date", at)
	request.field("WARC-Target-URI", target)
	request.field("WARC-Warcinfo-ID", info)
	request.field("WARC-Concurrent-To", recordID(p.ID))
	request.field("Content-Type", "application/http; msgtype=request")
	request.block = [][]byte{requestHead(p)}
	return []*record{answer, request}
}

// responseHead is the status line and the headers of an answer, as they fit its decoded body.
func responseHead(p *crawl.Page) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", p.Status, http.StatusText(p.Status))
	length := false
	for _, name := range sortedNames(p.Header) {
		for _, value := range p.Header[name] {
			switch name {
			case "Content-Encoding", "Transfer-Encoding":
				fmt.Fprintf(&b, "X-Archive-Orig-%s: %s\r\n", name, oneLine(value))
				continue
			case "Content-Length":
				if !p.Unchanged && value != strconv.Itoa(len(p.Body)) {
					fmt.Fprintf(&b, "X-Archive-Orig-%s: %s\r\n", name, oneLine(value))
					continue
				}
				length = true
			}
			fmt.Fprintf(&b, "%s: %s\r\n", name, oneLine(value))
		}
	}
	if !length && !p.Unchanged {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(p.Body))
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// requestHead is the request as it went out, as far as is known.
func requestHead(p *crawl.Page) []byte {
	var b bytes.Buffer
	method, path, host := http.MethodGet, "/", p.Host.String()
	if p.Request != nil {
		method, path, host = p.Request.Method, p.Request.URL.RequestURI(), p.Request.URL.Host
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, host)
	if p.Request != nil {
		for _, name := range sortedNames(p.Request.Header) {
			for _, value := range p.Request.Header[name] {
				fmt.Fprintf(&b, "%s: %s\r\n", name, oneLine(value))
			}
		}
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// infoRecord is the first record of a file.
func infoRecord(id, name string, at time.Time, o Options) *record {
	body := "software: " + oneLine(o.Software) + "\r\nformat: WARC File Format 1.1\r\n" +
		"conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\nrobots: " + oneLine(o.Robots) + "\r\n"
	r := &record{block: [][]byte{[]byte(body)}}
	r.field("WARC-Type", "warcinfo")
	r.field("WARC-Record-ID", id)
	r.field("WARC-Date", date(at))
	r.field("WARC-Filename", name)
	r.field("Content-Type", "application/warc-fields")
	return r
}

func sortedNames(h http.Header) []string {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// oneLine keeps what a server says from ending a header.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ").Replace(s)
}

// date is a WARC-Date: UTC, with fractions as WARC 1.1 allows them.
func date(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// recordID is a page's ID as a URI. One that is no UUID is made into one.
func recordID(id string) string {
	if len(id) == 36 && strings.Count(id, "-") == 4 {
		return "<urn:uuid:" + id + ">"
	}
	sum := sha256.Sum256([]byte(id))
	return uuid([16]byte(sum[:16]), 8)
}

func newID() string {
	var b [16]byte
	rand.Read(b[:]) // it has no way to fail
	return uuid(b, 4)
}

func uuid(b [16]byte, version byte) string {
	b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return "<urn:uuid:" + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:] + ">"
}
