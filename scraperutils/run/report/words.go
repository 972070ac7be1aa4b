package report

// Flag returns a flag with its value as a shell reads it, with a space before it. A value that begins with a dash is not taken for a flag.
func Flag(name, value string) string { return flag(name, value) }

// Word returns a word as a shell reads it.
func Word(word string) string { return quoted(word) }
