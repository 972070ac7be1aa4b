package extract

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Text returns a reader of r's content as UTF-8, as it arrives. It undoes gzip, and obeys a byte order mark and the encoding that an XML
// document names. Otherwise it reads bytes that are not UTF-8 as windows-1252. It waits for two bytes, or for a kilobyte if they begin
// XML.
func Text(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("read gzip: %w", err)
		}
		in = bufio.NewReader(unzipped)
	}
	head, _ := in.Peek(1)
	switch {
	case len(head) == 0:
		return in, nil
	case head[0] == 0xfe || head[0] == 0xff:
		if head, _ = in.Peek(2); string(head) == "\xfe\xff" || string(head) == "\xff\xfe" {
			marked := unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
			return bufio.NewReader(transform.NewReader(in, transform.Chain(marked.NewDecoder(), repair{}))), nil
		}
	case head[0] == 0xef:
		if head, _ = in.Peek(3); string(head) == "\ufeff" {
			in.Discard(3)
			head, _ = in.Peek(1)
		}
	}
	if len(head) > 0 && head[0] == '<' {
		head, _ = in.Peek(1024)
		if label := namedEncoding(string(head)); label != "" {
			if named, name := charset.Lookup(label); named != nil && name != "utf-8" && !strings.HasPrefix(name, "utf-16") {
				return bufio.NewReader(transform.NewReader(in, transform.Chain(named.NewDecoder(), repair{}))), nil
			}
		}
	}
	return bufio.NewReader(transform.NewReader(in, repair{})), nil
}

// namedEncoding reads <?xml version="1.0" encoding="…"?>.
func namedEncoding(head string) string {
	prolog, _, _ := strings.Cut(head, "?>")
	_, after, found := strings.Cut(prolog, "encoding=")
	if !strings.HasPrefix(prolog, "<?xml") || !found || len(after) < 2 {
		return ""
	}
	label, _, _ := strings.Cut(after[1:], after[:1])
	return label
}

// repair makes UTF-8 of what claims to be it: bytes that are not are read as windows-1252, and control characters become spaces.
type repair struct{ transform.NopResetter }

func (repair) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		c := src[read]
		if c < utf8.RuneSelf {
			if written == len(dst) {
				return written, read, transform.ErrShortDst
			}
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
				c = ' '
			}
			dst[written] = c
			written++
			read++
			continue
		}
		r, size := utf8.DecodeRune(src[read:])
		if r == utf8.RuneError && size == 1 {
			if !atEOF && !utf8.FullRune(src[read:]) {
				return written, read, transform.ErrShortSrc
			}
			r = charmap.Windows1252.DecodeByte(c)
		}
		if r < ' ' || r == 0xfffe || r == 0xffff {
			r = utf8.RuneError
		}
		if written+utf8.RuneLen(r) > len(dst) {
			return written, read, transform.ErrShortDst
		}
		written += utf8.EncodeRune(dst[written:], r)
		read += size
	}
	return written, read, nil
}
