package extract

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// sitemap yields the entries of a sitemap, or of an index of them (sitemaps.org). Those of extensions, such as images, are none.
func (s *scanner) sitemap(entry string, index bool, found func(Link) error) error {
	return s.each(entry, func(xml.StartElement) error {
		link := Link{Sitemap: index, Priority: -1, Line: s.line()}
		err := s.fields(func(field xml.StartElement) error {
			if !s.own(field.Name) {
				return nil
			}
			name := strings.ToLower(field.Name.Local)
			if name != "loc" && name != "lastmod" && name != "priority" {
				return nil
			}
			text, err := s.text()
			switch name {
			case "loc":
				link.URL = text
			case "lastmod":
				link.Modified = ParseTime(text)
			case "priority":
				if p, err := strconv.ParseFloat(text, 64); err == nil && p >= 0 && p <= 1 {
					link.Priority = p
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		return found(link)
	})
}
