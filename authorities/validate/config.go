package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// configFile is the file that ReadSettings looks for by itself.
const configFile = ".scraper_validation.yml"

const maxConfigFile = 1 << 20 // bytes

// ReadSettings returns the defaults with what a file says over them, and which file that was: named, or where that is "",
// .scraper_validation.yml in dir if there is one. Keys are those of Settings.Set; a blank value changes nothing.
func ReadSettings(dir, named string) (s Settings, from string, err error) {
	s = defaultSettings()
	path := named
	if path == "" {
		path = filepath.Join(dir, configFile)
	}
	text, err := scraperutils.ReadFile(path, maxConfigFile)
	switch {
	case named == "" && errors.Is(err, fs.ErrNotExist):
		return s, "", nil
	case err != nil:
		return s, "", fmt.Errorf("read settings: %w", err)
	}
	if err := s.parse(text); err != nil {
		return s, "", fmt.Errorf("read settings of %s: %w", path, err)
	}
	if named == "" {
		path = configFile
	}
	return s, path, nil
}

// parse takes over what a YAML text says.
func (s *Settings) parse(text []byte) error {
	var content any
	if err := yaml.Unmarshal(text, &content); err != nil {
		return errors.New(strings.Join(strings.Fields(err.Error()), " ")) // in one line
	}
	values, ok := content.(map[string]any)
	if !ok && content != nil {
		return errors.New("expected lines like database: data.sqlite")
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value, ok := textOf(values[key])
		if !ok {
			return fmt.Errorf("%s: expected one value, or a list of them", key)
		}
		if err := s.Set(key, value); err != nil {
			return err
		}
	}
	return nil
}

// textOf writes a value as a flag would have it: one of them, or a list with commas between.
func textOf(v any) (string, bool) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var items []string
	for _, item := range list {
		switch item.(type) {
		case nil:
			continue
		case []any, map[string]any, map[any]any:
			return "", false
		}
		items = append(items, fmt.Sprint(item))
	}
	return strings.Join(items, ","), true
}
