package cassette

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
)

// YAML takes a key of more characters for one only after a question mark.
const longestSimpleKey = 1000

// quote writes a string as one line of YAML that reads back as it is.
func quote(s string) string {
	if !utf8.ValidString(s) {
		return `!binary "` + base64.StdEncoding.EncodeToString([]byte(s)) + `"`
	}
	return quoteBroken(s, "")
}

// quoteLines writes UTF-8 with a line of YAML for each of its own.
func quoteLines(s, indent string) string { return quoteBroken(s, "\\\n"+indent) }

// swells reports whether a large text becomes many times as long by quoting: one of nothing but line ends becomes twelve times.
func swells(b []byte) bool {
	const large, most = 64 << 10, 4
	if len(b) < large {
		return false
	}
	lines, controls := 0, 0
	for _, c := range b {
		if c == '\n' {
			lines++
		} else if c < ' ' || c == 0x7f {
			controls++
		}
	}
	return lines*len("\\n\\\n        ")+controls*len(`\x00`) > most*len(b)
}

// quoteKey writes the key of a mapping, without its colon. Bytes that are no UTF-8, which no header has, become U+FFFD.
func quoteKey(s, indent string) string {
	q := quoteBroken(s, "")
	if len(q) > longestSimpleKey {
		return "? " + q + "\n" + indent
	}
	return q
}

// quoteBroken puts a break, which must be an escaped line end or nothing, after each line end of the string.
func quoteBroken(s, lineBreak string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/16 + 2)
	b.WriteByte('"')
	start := false // of a line of YAML, where bare blanks would be dropped
	for i, r := range s {
		switch {
		case start && r == ' ':
			b.WriteString(`\ `)
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case !printable(r):
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
		start = r == '\n' && lineBreak != "" && i+1 < len(s)
		if start {
			b.WriteString(lineBreak)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// printable reports whether YAML takes the character as it is, everywhere.
func printable(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r < 0xA0, r == 0x2028, r == 0x2029, r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return true
}

func escape(r rune) string {
	if r < 0x100 {
		return fmt.Sprintf(`\x%02X`, r)
	}
	return fmt.Sprintf(`\u%04X`, r)
}
