package cassette

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Cut says why a recorded body is not whole.
type Cut string

// The ways in which a body can be cut.
const (
	Whole       Cut = ""
	Interrupted Cut = "interrupted" // it ended in an error, or its reader closed it before its end
	NotKept     Cut = "not kept"    // the recorder was full
)

// Body is what was sent, byte for byte and as encoded for the wire. It is immutable; the zero value is an empty body.
type Body struct {
	Cut  Cut
	text string // as it stands in the file
	form form

	spooled *spooled // instead of text, while its recorder keeps it; nil: it is not
}

// form says how the text of a body stands for its bytes.
type form uint8

const (
	formRaw    form = iota // it is the bytes
	formBase64             // with white space between, perhaps
	formLatin1             // each character is a byte
	formOther              // it can't be told; only an error if the text is not ASCII
)

// NewBody returns a whole body of these bytes, which it copies.
func NewBody(b []byte) Body { return Body{text: string(b)} }

// Bytes returns the bytes of the body in a new slice. The error says that the file holds no valid base64, or text in an
// encoding that is not known.
func (b Body) Bytes() ([]byte, error) {
	if b.spooled != nil {
		return b.spooled.bytes()
	}
	switch b.form {
	case formBase64:
		return decodeBase64(b.text)
	case formLatin1:
		return latin1(b.text)
	case formOther:
		for i := range len(b.text) {
			if b.text[i] >= utf8.RuneSelf {
				return nil, fmt.Errorf("its encoding is not known; expected UTF-8, US-ASCII, ASCII-8BIT or ISO-8859-1")
			}
		}
	}
	return []byte(b.text), nil
}

// inMemory returns the body as it is without its spool.
func (b Body) inMemory() Body {
	if b.spooled == nil {
		return b
	}
	all, err := b.Bytes()
	if err != nil {
		return Body{Cut: NotKept}
	}
	m := NewBody(all)
	m.Cut = b.Cut
	return m
}

// formOf is the form of text whose body.encoding is this one.
func formOf(encoding string) form {
	switch strings.ToUpper(encoding) {
	case "", "UTF-8", "US-ASCII", "ASCII-8BIT", "BINARY":
		return formRaw
	case "ISO-8859-1":
		return formLatin1
	default:
		return formOther
	}
}

func decodeBase64(text string) ([]byte, error) {
	if strings.ContainsAny(text, " \t") { // line ends are skipped by the decoder
		text = strings.NewReplacer(" ", "", "\t", "").Replace(text)
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("not valid base64: %w", err)
	}
	return b, nil
}

func latin1(text string) ([]byte, error) {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xFF {
			return nil, fmt.Errorf("%q is no character of its encoding ISO-8859-1", r)
		}
		b = append(b, byte(r))
	}
	return b, nil
}
