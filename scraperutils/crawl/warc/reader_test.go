package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"compress/gzip"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// A second implementation of the format, of the standard library alone: it reads what the writer wrote and forgives nothing.

// found is a record that was read.
type found struct {
	textproto.MIMEHeader
	block []byte
}

// answer is the HTTP answer in a record.
func (f *found) answer() (*http.Response, []byte, error) {
	a, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(f.block)), nil)
	if err != nil {
		return nil, nil, err
	}
	defer a.Body.Close()
	if f.Get("WARC-Type") == "revisit" { // it has the head alone
		return a, nil, nil
	}
	body, err := io.ReadAll(a.Body)
	return a, body, err
}

// readFile reads all records of a file.
func readFile(path string) (all []*found, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(filepath.Base(path), ".warc.gz") {
		for in := bufio.NewReader(bytes.NewReader(b)); ; {
			r, err := readRecord(in)
			if errors.Is(err, io.EOF) {
				return all, nil
			}
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	for in := bytes.NewReader(b); in.Len() > 0; {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		z.Multistream(false)
		member, err := io.ReadAll(z)
		if err != nil {
			return nil, err
		}
		inside := bufio.NewReader(bytes.NewReader(member))
		r, err := readRecord(inside)
		if err != nil {
			return nil, err
		}
		if _, err := inside.ReadByte(); err != io.EOF {
			return nil, errors.New("a gzip member has more than a record")
		}
		all = append(all, r)
	}
	return all, nil
}

func readRecord(in *bufio.Reader) (*found, error) {
	version, err := in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	if version != "WARC/1.1\r\n" {
		return nil, fmt.Errorf("version %q", version)
	}
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return nil, err
	}
	block := make([]byte, length+4)
	if _, err := io.ReadFull(in, block); err != nil {
		return nil, err
	}
	if string(block[length:]) != "\r\n\r\n" {
		return nil, errors.New("no end of the record")
	}
	for _, name := range []string{"WARC-Type", "WARC-Record-ID", "WARC-Date"} {
		if len(header.Values(name)) != 1 {
			return nil, fmt.Errorf("%s: %q", name, header.Values(name))
		}
	}
	return &found{header, block[:length]}, nil
}

// files are those of a folder, finished or not.
func files(t testing.TB, folder string) (paths []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		paths = append(paths, filepath.Join(folder, e.Name()))
	}
	return paths
}

// records are those of all files of a folder.
func records(t testing.TB, folder string) (all []*found) {
	t.Helper()
	for _, path := range files(t, folder) {
		some, err := readFile(path)
		require.NoError(t, err, path)
		all = append(all, some...)
	}
	return all
}

// ofType selects records.
func ofType(all []*found, kind string) []*found {
	return slices.DeleteFunc(slices.Clone(all), func(f *found) bool { return f.Get("WARC-Type") != kind })
}

// place is a folder for the suite of all sinks.
type place struct {
	folder  string
	options Options
}

func (p place) Open() (crawl.Sink, error) { return Open(p.folder, p.options) }

func (p place) Pages() (pages []*crawl.Page, err error) {
	entries, err := os.ReadDir(p.folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		all, err := readFile(filepath.Join(p.folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		for _, r := range ofType(all, "response") {
			_, body, err := r.answer()
			if err != nil {
				return nil, err
			}
			id := strings.TrimSuffix(strings.TrimPrefix(r.Get("WARC-Record-ID"), "<urn:uuid:"), ">")
			pages = append(pages, &crawl.Page{ID: id, URL: r.Get("WARC-Target-URI"), Body: body})
		}
	}
	return pages, nil
}
