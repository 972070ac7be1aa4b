package look

import (
	"encoding/json"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// mostElements is how many names of elements, or keys, an outline has.
const mostElements = 200

// elementsOf returns the names of the elements of an XML document, or the keys of a JSON one; none of a page.
func elementsOf(text string, document *goquery.Document) (names []string) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "<?xml") && !strings.Contains(strings.ToLower(text[:min(len(text), 1000)]), "<html"):
		for _, e := range document.Find("body *").EachIter() {
			if names = once(names, goquery.NodeName(e)); len(names) == mostElements {
				break
			}
		}
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		keys := keysOf(json.NewDecoder(strings.NewReader(text)))
		for _, key := range keys {
			names = once(names, key)
		}
	}
	return names
}

// keysOf returns the keys of a JSON document in order, as far as it is one.
func keysOf(d *json.Decoder) (keys []string) {
	var objects []bool // that are open, with arrays between; innermost last
	key := false       // a key is next, unless the object ends
	for len(keys) < mostElements*10 {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				objects = append(objects, t == '{')
				key = t == '{'
				continue
			}
			objects = objects[:len(objects)-1]
		case string:
			if key {
				keys, key = append(keys, t), false
				continue
			}
		}
		key = len(objects) > 0 && objects[len(objects)-1]
	}
	return keys
}
