package warc

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
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

// Room for what nearly all records have.
const (
	mostFields = 10
	usualHead  = 512 // bytes
)

// record is one record: its header fields in order, and its block.
type record struct {
	fields [][2]string
	block  [][]byte
}

func newRecord(kind, id string, at time.Time) *record {
	r := &record{fields: make([][2]string, 0, mostFields), block: make([][]byte, 0, 2)}
	r.field("WARC-Type", kind)
	r.field("WARC-Record-ID", id)
	r.field("WARC-Date", date(at))
	return r
}

// field adds a header field, if it has a value.
func (r *record) field(name, value string) {
	if value != "" {
		r.fields = append(r.fields, [2]string{name, oneLine(value)})
	}
}

// writeTo writes the record as it stands in a file that is not compressed.
func (r *record) writeTo(w io.Writer) error {
	var head bytes.Buffer
	head.Grow(usualHead)
	head.WriteString("WARC/1.1\r\n")
	length := 0
	for _, b := range r.block {
		length += len(b)
	}
	for _, f := range r.fields {
		writeField(&head, f[0], f[1])
	}
	writeField(&head, "Content-Length", strconv.Itoa(length))
	head.WriteString("\r\n")
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	for _, b := range r.block {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\r\n\r\n")
	return err
}

// writeField writes a line of a head.
func writeField(to *bytes.Buffer, name, value string) {
	to.WriteString(name)
	to.WriteString(": ")
	to.WriteString(value)
	to.WriteString("\r\n")
}

// infoRecord is the first record of a file.
func infoRecord(id, name string, at time.Time, o Options) *record {
	r := newRecord("warcinfo", id, at)
	r.field("WARC-Filename", name)
	r.field("Content-Type", "application/warc-fields")
	r.block = [][]byte{[]byte("software: " + oneLine(o.Software) + "\r\nformat: WARC File Format 1.1\r\n" +
		"conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\nrobots: " + oneLine(o.Robots) + "\r\n")}
	return r
}

// answerRecord is what is kept of a page: the answer, or only its head where the page is as it was.
func answerRecord(p *crawl.Page, info string) *record {
	kind := "response"
	if p.Unchanged {
		kind = "revisit"
	}
	r := newRecord(kind, recordID(p.ID), p.At)
	r.field("WARC-Target-URI", p.Final)
	r.field("WARC-Warcinfo-ID", info)
	if p.Unchanged {
		profile := profileDigest
		if p.Status == http.StatusNotModified {
			profile = profileNotModified
		}
		r.field("WARC-Profile", profile)
		r.field("WARC-Refers-To-Target-URI", p.Final)
		if !p.Before.IsZero() {
			r.field("WARC-Refers-To-Date", date(p.Before))
		}
	}
	if p.Digest != "" {
		r.field("WARC-Payload-Digest", "sha256:"+p.Digest)
	}
	r.field("Content-Type", "application/http; msgtype=response")
	r.block = [][]byte{answerHead(p)}
	if !p.Unchanged {
		r.block = append(r.block, p.Body)
	}
	return r
}

// requestRecord is the request that a page came of.
func requestRecord(p *crawl.Page, info string) *record {
	r := newRecord("request", newID(), p.At)
	r.field("WARC-Target-URI", p.Final)
	r.field("WARC-Warcinfo-ID", info)
	r.field("WARC-Concurrent-To", recordID(p.ID))
	r.field("Content-Type", "application/http; msgtype=request")
	r.block = [][]byte{requestHead(p)}
	return r
}

// date is a WARC-Date: UTC, with fractions as WARC 1.1 allows them.
func date(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// recordID is a page's ID as a URI. One that is no UUID is made into one.
func recordID(id string) string {
	if isUUID(id) {
		return "<urn:uuid:" + id + ">"
	}
	sum := sha256.Sum256([]byte(id))
	return uuid([16]byte(sum[:16]), 8)
}

func isUUID(id string) bool {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return false
	}
	_, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	return err == nil
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
