package cli

import (
	"io"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Printer is a writer that lets only text through. Titles of pages, labels and foreign errors pass it on their way to a terminal or a
// log. Characters that would act there instead of being seen are escaped like \u001b: control characters other than newline and tab,
// and those that reorder, join or hide the text around them. Within a JSON string the escape means the same character. Invalid UTF-8,
// and characters of four bytes, which some platforms can't store in their logs, become U+FFFD.
//
// A character may come in pieces. Any goroutine may write.
type Printer struct {
	out io.Writer

	mu   sync.Mutex // guards the rest
	rest []byte     // the beginning of a character, until its end comes
}

func NewPrinter(out io.Writer) *Printer { return &Printer{out: out} }

// Unprinted returns the writer behind a Printer, for a caller that writes more than text and passes the text through a Printer itself.
func Unprinted(w io.Writer) io.Writer {
	if p, ok := w.(*Printer); ok {
		return p.out
	}
	return w
}

func (p *Printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := b
	if len(p.rest) > 0 {
		text = append(p.rest, b...)
	}
	text, rest := printable(text)
	p.rest = append([]byte(nil), rest...)
	if _, err := p.out.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// printable returns text as it is printed, and an incomplete character at its end.
func printable(text []byte) (printed, rest []byte) {
	plain := 0
	for plain < len(text) && isPlain(text[plain]) {
		plain++
	}
	if plain == len(text) {
		return text, nil
	}
	printed = append(make([]byte, 0, len(text)+64), text[:plain]...)
	for text = text[plain:]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		switch {
		case size == 1 && r == utf8.RuneError && !utf8.FullRune(text):
			return printed, text
		case isPlain(text[0]):
			printed = append(printed, text[0])
		case size == 4:
			printed = utf8.AppendRune(printed, utf8.RuneError)
		default:
			printed = appendVisible(printed, r)
		}
		text = text[size:]
	}
	return printed, nil
}

// isPlain reports whether a byte is a character that stays as it is.
func isPlain(c byte) bool { return c >= ' ' && c <= '~' || c == '\n' || c == '\t' }

// appendVisible appends a character that is seen, or the escape of one that is not.
func appendVisible(out []byte, r rune) []byte {
	if strconv.IsGraphic(r) {
		return utf8.AppendRune(out, r)
	}
	const hex = "0123456789abcdef"
	return append(out, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
