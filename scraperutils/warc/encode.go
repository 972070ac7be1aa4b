package warc

import (
	"bytes"
	"runtime"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// level is how hard gzip tries: pages of text get hardly smaller above it, and cost twice the time.
const level = 3

// encoder makes records into bytes of a file. It belongs to one goroutine at a time.
type encoder struct {
	plain bool
	out   bytes.Buffer
	gzip  *gzip.Writer
}

func newEncoder(plain bool) (*encoder, error) {
	e := &encoder{plain: plain}
	var err error
	if !plain {
		e.gzip, err = gzip.NewWriterLevel(&e.out, level)
	}
	return e, err
}

// add appends a record: as it is, or as a gzip member of its own.
func (e *encoder) add(r *record) error {
	if e.plain {
		return r.writeTo(&e.out)
	}
	e.gzip.Reset(&e.out)
	if err := r.writeTo(e.gzip); err != nil {
		return err
	}
	return e.gzip.Close()
}

// encode returns the bytes of all pages, in blocks to be written one after the other. They are good until the next call.
func (w *Writer) encode(pages []*crawl.Page) ([][]byte, error) {
	parts := min(runtime.GOMAXPROCS(0), len(pages))
	for len(w.encoders) < parts {
		e, err := newEncoder(w.options.Plain)
		if err != nil {
			return nil, err
		}
		w.encoders = append(w.encoders, e)
	}
	var all sync.WaitGroup
	blocks, errs := make([][]byte, parts), make([]error, parts)
	for i := range parts {
		all.Go(func() {
			blocks[i], errs[i] = w.encoders[i].encode(pages[i*len(pages)/parts:(i+1)*len(pages)/parts], w.info())
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

func (e *encoder) encode(pages []*crawl.Page, info string) ([]byte, error) {
	e.out.Reset()
	for _, p := range pages {
		for _, r := range pageRecords(p, info) {
			if err := e.add(r); err != nil {
				return nil, err
			}
		}
	}
	return e.out.Bytes(), nil
}

// info is the ID of the file's warcinfo record.
func (w *Writer) info() string { return recordID(w.name) }

func (w *Writer) encodeInfo() ([]byte, error) {
	e, err := newEncoder(w.options.Plain)
	if err != nil {
		return nil, err
	}
	if err := e.add(infoRecord(w.info(), w.name, w.options.now(), w.options)); err != nil {
		return nil, err
	}
	return e.out.Bytes(), nil
}
