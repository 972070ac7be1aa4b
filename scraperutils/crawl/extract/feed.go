package extract

import (
	"encoding/xml"
	"strings"
)

// feed yields the pages of a feed's entries: RSS 0.9 to 2.0, or Atom. An entry of RSS without a link may have a permanent one as its
// guid.
func (s *scanner) feed(entry string, found func(Link) error) error {
	return s.each(entry, func(xml.StartElement) error {
		link, guid := Link{Priority: -1, Line: s.line()}, ""
		err := s.fields(func(field xml.StartElement) (err error) {
			name := strings.ToLower(field.Name.Local)
			switch {
			case name == "link" && s.own(field.Name):
				href, text := pageOf(field), ""
				if text, err = s.text(); href == "" && attribute(field, "rel") == "" {
					href = text
				}
				if link.URL == "" {
					link.URL = href
				}
			case name == "guid" && s.own(field.Name) && !strings.EqualFold(attribute(field, "isPermaLink"), "false"):
				guid, err = s.text()
			case name == "updated" || name == "published" || name == "pubdate" || name == "date":
				var text string
				text, err = s.text()
				if t := ParseTime(text); t.After(link.Modified) {
					link.Modified = t
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		if link.URL == "" && strings.Contains(guid, "://") {
			link.URL = guid
		}
		return found(link)
	})
}

// pageOf returns where a link of Atom leads, if it is to the page of its entry.
func pageOf(link xml.StartElement) string {
	if rel := attribute(link, "rel"); rel != "" && !strings.EqualFold(rel, "alternate") {
		return ""
	}
	return strings.TrimSpace(attribute(link, "href"))
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return a.Value
		}
	}
	return ""
}
