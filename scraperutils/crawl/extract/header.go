package extract

import (
	"net/http"
	"strings"
)

// robots is what a page asks of crawlers.
type robots struct{ nofollow bool }

// ask takes the directives of a meta element.
func (r *robots) ask(directives string) {
	for d := range strings.SplitSeq(directives, ",") {
		if d = strings.TrimSpace(d); strings.EqualFold(d, "nofollow") || strings.EqualFold(d, "none") {
			r.nofollow = true
		}
	}
}

// robotsOf reads the X-Robots-Tag of an answer. What follows a name and a colon is for the crawler of that name.
func robotsOf(header http.Header, agent string) (r robots) {
	for _, value := range header.Values("X-Robots-Tag") {
		ours := true
		for d := range strings.SplitSeq(value, ",") {
			name, rest, named := strings.Cut(d, ":")
			name = strings.ToLower(strings.TrimSpace(name))
			if named && !strings.HasPrefix(name, "max-") && name != "unavailable_after" {
				ours, d = name == "*" || name == "robots" || agent != "" && strings.EqualFold(name, agent), rest
			}
			if ours {
				r.ask(d)
			}
		}
	}
	return r
}

// header takes the links of Link headers (RFC 8288).
func (r *htmlReader) header(header http.Header) error {
	for _, value := range header.Values("Link") {
		for value != "" {
			var link, parameters string
			if link, parameters, value = nextLink(value); link == "" {
				continue
			}
			rel := relOf(parameters)
			if !leadingRel(rel) || hasWord(rel, "nofollow") && !r.Nofollow {
				continue
			}
			if err := r.add(link); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextLink takes the first link of a header apart: what stands in angle brackets, and its parameters up to a comma that is not quoted.
func nextLink(value string) (link, parameters, rest string) {
	_, value, ok := strings.Cut(value, "<")
	if !ok {
		return "", "", ""
	}
	link, value, _ = strings.Cut(value, ">")
	end := unquoted(value, ',')
	parameters = value[:end]
	if end < len(value) {
		rest = value[end+1:]
	}
	return link, parameters, rest
}

// relOf returns the first rel of a link's parameters.
func relOf(parameters string) string {
	for parameters != "" {
		end := unquoted(parameters, ';')
		name, value, _ := strings.Cut(parameters[:end], "=")
		if strings.EqualFold(strings.TrimSpace(name), "rel") {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
		if end == len(parameters) {
			break
		}
		parameters = parameters[end+1:]
	}
	return ""
}

// unquoted returns where a character first stands that is not within quotes, or the length of the text.
func unquoted(text string, what byte) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == '\\' && quoted:
			i++
		case text[i] == what && !quoted:
			return i
		}
	}
	return len(text)
}
