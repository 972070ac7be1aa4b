package scope

import (
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// segments returns how many parts a path has.
func segments(path string) int { return strings.Count(strings.TrimSuffix(path, "/"), "/") }

// copies is how often segments follow each other that are a trap.
const copies = 4

// repeats reports whether a path holds the same segments four times in a row, as /a/b/a/b/a/b/a/b does. Numbers may repeat.
func repeats(path string) bool {
	if segments(path) < copies {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/")
	for length := 1; length*copies <= len(parts); length++ {
		same := 0 // segments that are as the one so far before
		for i := length; i < len(parts); i++ {
			if parts[i] != parts[i-length] || number(parts[i]) {
				same = 0
				continue
			}
			if same++; same == length*(copies-1) {
				return true
			}
		}
	}
	return false
}

func number(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// SameShape reports whether two URLs have the same host, and paths that differ only in their numbers. Queries do not count.
func SameShape(a, b urls.URL) bool { return a.Host() == b.Host() && samePath(a.Path(), b.Path()) }

// samePath reports whether two paths are the same where each run of digits is one.
func samePath(a, b string) bool {
	for {
		digitsA, digitsB := digits(a), digits(b)
		switch {
		case (digitsA > 0) != (digitsB > 0):
			return false
		case digitsA > 0:
			a, b = a[digitsA:], b[digitsB:]
		case a == "" || b == "":
			return a == b
		case a[0] != b[0]:
			return false
		default:
			a, b = a[1:], b[1:]
		}
	}
}

// digits returns how many digits a text begins with.
func digits(text string) (n int) {
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}
