package validate

import "fmt"

// What a command says of its files, without the line's end.

// LoadedConfig tells which file the settings came from.
func LoadedConfig(path string) string { return "Loaded config from " + path }

// DatabaseNotFound tells that there is no file to check.
func DatabaseNotFound(path string) string {
	return fmt.Sprintf("Error: Database file '%s' not found", path)
}

// UnreadableDatabase tells that a file has no records that could be read, such as err: no such table: data.
func UnreadableDatabase(err error) string { return "Error reading database: " + err.Error() }
