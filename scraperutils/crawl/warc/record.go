package warc

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// The profiles of revisit records (WARC 1.1, 6.7).
const (
	profileDigest      = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	profileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// record is a record as it is put together: its header, and its block. The next one uses its room.
type record struct {
	head  lines
	block lines  // but the page's body
	body  []byte // behind it; may be nil
}

func (r *record) begin(kind, id string, at time.Time) {
	r.head, r.block, r.body = append(r.head[:0], "WARC/1.1\r\n"...), r.block[:0], nil
	r.field("WARC-Type", kind)
	r.field("WARC-Record-ID", id)
	r.field("WARC-Date", date(at))
}

// field adds a header field, if it has a value.
func (r *record) field(name, value string) {
	if value != "" {
		r.head.field(name, value)
	}
}

var endOfRecord = []byte("\r\n\r\n")

// writeTo writes the record as it stands in a file that is not compressed.
func (r *record) writeTo(w io.Writer) error {
	r.head.field("Content-Length", strconv.Itoa(len(r.block)+len(r.body)))
	r.head.end()
	for _, part := range [...][]byte{r.head, r.block, r.body, endOfRecord} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// info makes it the first record of a file.
func (r *record) info(id, name string, at time.Time, o Options) {
	r.begin("warcinfo", id, at)
	r.field("WARC-Filename", name)
	r.field("Content-Type", "application/warc-fields")
	r.block.field("software", o.Software)
	r.block.field("format", "WARC File Format 1.1")
	r.block.field("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/")
	r.block.field("robots", o.Robots)
}

// page makes it the records of a page, one after the other, and has each put where it goes.
func (r *record) page(p *crawl.Page, info string, put func() error) error {
	r.answer(p, info)
	if err := put(); err != nil {
		return err
	}
	r.request(p, info)
	return put()
}

// answer makes it what is kept of a page: the answer, or only its head where the page is as it was.
func (r *record) answer(p *crawl.Page, info string) {
	kind := "response"
	if p.Unchanged {
		kind = "revisit"
	}
	r.begin(kind, recordID(p.ID), p.At)
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
	r.block.answer(p)
	if !p.Unchanged {
		r.body = p.Body
	}
}

// request makes it the request that a page came of.
func (r *record) request(p *crawl.Page, info string) {
	r.begin("request", newID(), p.At)
	r.field("WARC-Target-URI", p.Final)
	r.field("WARC-Warcinfo-ID", info)
	r.field("WARC-Concurrent-To", recordID(p.ID))
	r.field("Content-Type", "application/http; msgtype=request")
	r.block.request(p)
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
	for i := range len(id) {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		if c := id[i]; hyphen != (c == '-') || !hyphen && !hexadecimal(c) {
			return false
		}
	}
	return len(id) == 36
}

func hexadecimal(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

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
