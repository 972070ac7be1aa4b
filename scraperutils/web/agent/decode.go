package agent

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// maxText is how large a body is at most as a text in UTF-8, in bytes.
const maxText = 20 << 20

// Text returns the text of a body, by the charset of its content type, or what the body itself says, as that of a Page.
func Text(body []byte, contentType string) (string, error) {
	s, _, err := text(body, contentType)
	return s, err
}

// text reads a body as UTF-8: by its byte order mark, the header's charset, its meta tag or prolog, or else its content.
// It also returns the encoding that its forms are sent in. A text may be three times as large as its body: one of more than maxText
// is a *scraperutils.TooLargeError.
func text(body []byte, contentType string) (string, encoding.Encoding, error) {
	inUTF8 := func() (string, encoding.Encoding, error) {
		s, err := repaired(body)
		return s, unicode.UTF8, err
	}
	if strings.HasSuffix(strings.ToLower(contentType), "charset=utf-8") && !hasUTF16Mark(body) {
		return inUTF8() // what nearly all say
	}
	enc, name, certain := charset.DetermineEncoding(body, contentType)
	if !certain {
		if declared, ok := prologEncoding(body); ok {
			enc, name = declared, ""
		} else if utf8.Valid(body) && !strings.HasPrefix(name, "utf-16") {
			return string(body), unicode.UTF8, nil // whatever the meta tag says, that is no accident
		}
	}
	if enc == unicode.UTF8 || name == "utf-8" {
		return inUTF8()
	}
	var b strings.Builder
	b.Grow(len(body))
	decoder := enc.NewDecoder().Reader(bytes.NewReader(body))
	if _, err := io.CopyBuffer(&b, io.LimitReader(decoder, maxText+1), make([]byte, 4<<10)); err != nil {
		return inUTF8()
	}
	if b.Len() > maxText {
		return "", nil, errTextTooLarge
	}
	return strings.TrimPrefix(b.String(), "\ufeff"), enc, nil
}

var errTextTooLarge = &scraperutils.TooLargeError{What: "the body, in UTF-8,", Limit: maxText >> 20, Unit: "MiB"}

// hasUTF16Mark reports whether a body begins with a byte order mark that overrides the header.
func hasUTF16Mark(body []byte) bool {
	return len(body) >= 2 && (body[0] == 0xfe && body[1] == 0xff || body[0] == 0xff && body[1] == 0xfe)
}

// prologEncoding reads <?xml version="1.0" encoding="…"?>.
func prologEncoding(body []byte) (encoding.Encoding, bool) {
	head := string(body[:min(len(body), 200)])
	if !strings.HasPrefix(head, "<?xml") {
		return nil, false
	}
	head, _, _ = strings.Cut(head, "?>")
	_, after, found := strings.Cut(head, "encoding=")
	if !found || len(after) < 2 {
		return nil, false
	}
	label, _, _ := strings.Cut(after[1:], after[:1])
	enc, _ := charset.Lookup(label)
	return enc, enc != nil
}

// repaired reads a page that claims UTF-8: bytes that are not are read as windows-1252, which is what they are.
func repaired(body []byte) (string, error) {
	if utf8.Valid(body) {
		return strings.TrimPrefix(string(body), "\ufeff"), nil
	}
	size := repairedSize(body)
	if size > maxText {
		return "", errTextTooLarge
	}
	var b strings.Builder
	b.Grow(size)
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		if r == utf8.RuneError && size == 1 {
			r = charmap.Windows1252.DecodeByte(body[0])
		}
		b.WriteRune(r)
		body = body[size:]
	}
	return strings.TrimPrefix(b.String(), "\ufeff"), nil
}

// repairedSize is how many bytes a body has once it is repaired.
func repairedSize(body []byte) int {
	n := len(body)
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			n += utf8.RuneLen(charmap.Windows1252.DecodeByte(body[i])) - 1
		}
		i += size
	}
	return n
}
