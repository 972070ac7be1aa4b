package agent

// CountHTML returns how many tags and words a page has, and how many elements and attributes each tag may make the parser copy.
func CountHTML(page string) (parts, copied int, err error) {
	parts, err = HTML.count(page)
	return parts, copiedPerTag(page), err
}

// CheckText is what Page.Check does with the page's text.
func (f Format) CheckText(text string) error { return f.check(text) }
