package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
	"github.com/klauspost/compress/gzip"
)

// mend cuts a file that was left open after its last whole record and gives it its name. One without a record goes.
func mend(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("mend a WARC file: %w", err)
	}
	defer file.Close()
	lock := flock.New(path)
	if ok, err := lock.TryLock(); err != nil || !ok { // it is being written
		return err
	}
	defer lock.Close()
	name := strings.TrimSuffix(path, openSuffix)
	var whole int64
	if strings.HasSuffix(name, ".gz") {
		whole, err = wholeMembers(file)
	} else {
		whole, err = wholeRecords(file)
	}
	if err != nil {
		return fmt.Errorf("mend %s: %w", path, err)
	}
	if whole == 0 {
		return os.Remove(path)
	}
	if err := errors.Join(file.Truncate(whole), file.Sync()); err != nil {
		return fmt.Errorf("mend %s: %w", path, err)
	}
	if err := os.Rename(path, name); err != nil {
		return fmt.Errorf("mend %s: %w", path, err)
	}
	return syncFolder(filepath.Dir(path))
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

// wholeMembers returns the length of the gzip members that are whole. The error is one of reading the file.
func wholeMembers(file *os.File) (int64, error) {
	in := &counter{in: bufio.NewReaderSize(file, 1<<20)}
	var whole int64
	var z gzip.Reader
	for {
		if err := z.Reset(in); err != nil {
			return whole, broken(err)
		}
		z.Multistream(false)
		if _, err := io.Copy(io.Discard, &z); err != nil {
			return whole, broken(err)
		}
		whole = in.n
	}
}

// wholeRecords returns the length of the records that are whole, of a file that is not compressed.
func wholeRecords(file *os.File) (int64, error) {
	in := bufio.NewReaderSize(file, 1<<20)
	var whole int64
	for {
		n, err := skipRecord(in)
		if err != nil {
			return whole, broken(err)
		}
		whole += n
	}
}

// skipRecord passes over a record and returns its length.
func skipRecord(in *bufio.Reader) (n int64, err error) {
	length := int64(-1)
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		n += int64(len(line))
		if first && line != "WARC/1.1\r\n" {
			return 0, errNoRecord
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 63); err != nil {
				return 0, errNoRecord
			}
		}
		if line == "\r\n" {
			break
		}
	}
	if length < 0 {
		return 0, errNoRecord
	}
	skipped, err := io.CopyN(io.Discard, in, length)
	if err != nil {
		return 0, err
	}
	var end [4]byte
	if _, err := io.ReadFull(in, end[:]); err != nil {
		return 0, err
	}
	if string(end[:]) != "\r\n\r\n" {
		return 0, errNoRecord
	}
	return n + skipped + 4, nil
}

var errNoRecord = errors.New("no WARC record")

// broken is nil for an error that only says where the whole records end.
func broken(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return err
	}
	return nil
}
