package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/durable"
)

// leftIn returns the files of a folder that are or were being written.
func leftIn(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		name, open := strings.CutSuffix(e.Name(), openSuffix)
		if open && (strings.HasSuffix(name, ".warc.gz") || strings.HasSuffix(name, ".warc")) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, err
}

// mend cuts a file that was left open after its last whole record and gives it its name. One without a record goes. One that is being
// written, or mended by somebody else, is left alone.
func mend(path string) error {
	file, err := durable.OpenLeft(path)
	var busy *durable.LockedError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &busy) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("mend a WARC file: %w", err)
	}
	defer file.Close()
	name := strings.TrimSuffix(path, openSuffix)
	whole, err := wholeRecords(file, strings.HasSuffix(name, ".gz"))
	switch {
	case err != nil:
	case whole == 0:
		err = file.Discard()
	default:
		if whole < file.Size() {
			err = file.Cut(whole)
		}
		if err == nil {
			err = file.Finish(name)
		}
	}
	if err != nil {
		return fmt.Errorf("mend %s: %w", path, err)
	}
	return nil
}

// wholeRecords returns the length of the records in front that are whole. The error is one of reading.
func wholeRecords(file io.ReaderAt, zipped bool) (whole int64, err error) {
	source := &source{in: io.NewSectionReader(file, 0, math.MaxInt64)}
	in := &counter{in: bufio.NewReaderSize(source, 1<<18)}
	skip := skipRecord
	if zipped {
		var z gzip.Reader
		skip = func(in *counter) error { return skipMember(&z, in) }
	}
	for skip(in) == nil {
		whole = in.n
	}
	return whole, source.err
}

// source keeps the error of reading apart from those that only say where the whole records end.
type source struct {
	in  io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// counter counts what has been taken out of a buffer.
type counter struct {
	in *bufio.Reader
	n  int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.in.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// line takes a line that is no longer than the buffer.
func (c *counter) line() (string, error) {
	line, err := c.in.ReadSlice('\n')
	c.n += int64(len(line))
	return string(line), err
}

// skipMember passes over a gzip member.
func skipMember(z *gzip.Reader, in *counter) error {
	if err := z.Reset(in); err != nil {
		return err
	}
	z.Multistream(false)
	_, err := io.Copy(io.Discard, z)
	return err
}

var errNoRecord = errors.New("no WARC record")

// skipRecord passes over a record that is not compressed.
func skipRecord(in *counter) error {
	if first, err := in.line(); err != nil || first != "WARC/1.1\r\n" {
		return errNoRecord
	}
	length := int64(-1)
	for {
		line, err := in.line()
		if err != nil {
			return err
		}
		if line == "\r\n" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.ParseInt(strings.TrimSuffix(value, "\r\n"), 10, 64); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errNoRecord
	}
	if _, err := io.CopyN(io.Discard, in, length); err != nil {
		return err
	}
	var end [4]byte
	if _, err := io.ReadFull(in, end[:]); err != nil || string(end[:]) != "\r\n\r\n" {
		return errNoRecord
	}
	return nil
}
