package crawlcmd_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/amqp/amqptest"
)

// broker is shared by the tests of this package.
var broker amqptest.Broker

// outlets are all places at once where a crawl's pages go.
type outlets struct {
	folder string
	amqp   string // where the crawl finds the broker
	queue  string
}

func newOutlets(t testing.TB) outlets {
	return outlets{t.TempDir(), broker.URL(t), broker.Queue(t, nil)}
}

// flags have a crawl put its pages there.
func (o outlets) flags() []string {
	return []string{"--jsonl", filepath.Join(o.folder, "pages.jsonl"), "--warc", filepath.Join(o.folder, "warc"), "--amqp", o.amqp, "--out", "/" + o.queue}
}

// pages returns how often each page is in each place, by ID. A group that a kill has left half written does not count.
func (o outlets) pages(t testing.TB) map[string]map[string]int {
	t.Helper()
	messages := map[string]int{}
	for _, m := range broker.Messages(t, o.queue) {
		messages[m.ID]++
	}
	return map[string]map[string]int{"JSON lines": pagesIn(t, o.folder), "WARC": pagesInWARC(t, filepath.Join(o.folder, "warc")), "AMQP": messages}
}

// check holds the places to have so many pages each, at least once, and at most so often a second time.
func (o outlets) check(t testing.TB, pages, again int) {
	t.Helper()
	all := o.pages(t)
	for name, ids := range all {
		assert.Len(t, ids, pages, "%s: a reader that drops repeats has every page", name)
		assert.LessOrEqual(t, repeats(ids), again, "%s: pages that came again", name)
		for id := range all["JSON lines"] {
			if ids[id] == 0 {
				t.Errorf("%s: page %s is lost", name, id)
			}
		}
	}
}

func repeats(ids map[string]int) (n int) {
	for _, times := range ids {
		n += times - 1
	}
	return n
}

// pagesIn returns how often each page is in the file of JSON lines, by ID.
func pagesIn(t testing.TB, folder string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "pages.jsonl"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	ids := map[string]int{}
	for scanner := bufio.NewScanner(strings.NewReader(string(text[:strings.LastIndex(string(text), "\n")+1]))); scanner.Scan(); {
		var p struct{ ID string }
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &p))
		ids[p.ID]++
	}
	return ids
}

// pagesInWARC returns how often each page is in the files of a folder, by ID.
func pagesInWARC(t testing.TB, folder string) map[string]int {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.warc.gz*"))
	require.NoError(t, err)
	ids := map[string]int{}
	for _, path := range paths {
		file, err := os.Open(path)
		require.NoError(t, err)
		if z, err := gzip.NewReader(file); err == nil {
			for in := bufio.NewReader(z); ; {
				id, err := nextPage(in)
				if err != nil {
					whole := errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
					assert.True(t, whole || strings.HasSuffix(path, ".open"), "%s: %v", path, err)
					break
				}
				ids[id]++
			}
		}
		require.NoError(t, file.Close())
	}
	return ids
}

// nextPage reads up to the end of the next response.
func nextPage(in *bufio.Reader) (id string, err error) {
	for {
		if _, err := in.ReadString('\n'); err != nil { // the version
			return "", err
		}
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			return "", errors.Join(io.ErrUnexpectedEOF, err)
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return "", err
		}
		if _, err := in.Discard(length + len("\r\n\r\n")); err != nil {
			return "", errors.Join(io.ErrUnexpectedEOF, err)
		}
		if header.Get("WARC-Type") == "response" {
			return strings.TrimSuffix(strings.TrimPrefix(header.Get("WARC-Record-ID"), "<urn:uuid:"), ">"), nil
		}
	}
}
