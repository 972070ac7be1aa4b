package secret

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

const (
	// ShortestPlain is how many bytes a secret has at least that is looked for by itself. A shorter one would be found in half the
	// words of a page: it is hidden where it stands with its user, plain or in base64.
	ShortestPlain = 4

	// shortestBase64 is how many characters of base64 tell a secret from chance.
	shortestBase64 = 6
)

// Set is secrets to be found. It is immutable; nil is an empty one.
type Set struct {
	begin [256][]spelled // by the bytes that their spellings can begin with; the longest first: where one is within another, the whole is hidden
}

// New returns the set of some secrets. Those shorter than ShortestPlain are left out, but not their user information: see User.
func New(secrets ...string) *Set {
	var texts []string
	for _, secret := range secrets {
		if len(secret) >= ShortestPlain {
			texts = append(append(texts, secret), within64(secret)...)
		}
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	if len(texts) == 0 {
		return nil
	}
	s := &Set{}
	for _, text := range slices.Compact(texts) {
		one := spell(text)
		var first []byte
		for _, way := range one[0] {
			first = append(first, way[0])
		}
		slices.Sort(first)
		for _, b := range slices.Compact(first) {
			s.begin[b] = append(s.begin[b], one)
		}
	}
	return s
}

// User returns the secrets that a URL's user information makes: its password, or its user where that is all (a token, then), and
// both together as they are sent.
func User(u *url.Userinfo) []string {
	if u == nil {
		return nil
	}
	password, ok := u.Password()
	if !ok || password == "" {
		return []string{u.Username(), u.Username() + ":"}
	}
	return []string{password, u.Username() + ":" + password}
}

// within64 returns what base64 of any text that contains a secret has in common, in both alphabets: it may begin at each of three
// places in a group of four characters.
func within64(secret string) (all []string) {
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		all = append(all, encoding.EncodeToString([]byte(secret)))
		for before := range 3 {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
			from, to := (8*before+5)/6, 8*(before+len(secret))/6 // what shares no character with its neighbours
			all = append(all, text[from:to])
		}
	}
	return slices.DeleteFunc(all, func(text string) bool { return len(text) < shortestBase64 })
}

// Hide returns a text with something else instead of each secret.
func (s *Set) Hide(text, instead string) string {
	if s == nil {
		return text
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		n := s.at(text[i:])
		if n == 0 {
			i++
			continue
		}
		b.WriteString(text[done:i])
		b.WriteString(instead)
		i += n
		done = i
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// at is how many bytes at the beginning of a text spell a secret.
func (s *Set) at(text string) int {
	for _, one := range s.begin[text[0]] {
		if rest, ok := one.cut(text); ok {
			return len(text) - len(rest)
		}
	}
	return 0
}
