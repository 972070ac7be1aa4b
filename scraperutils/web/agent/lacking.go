package agent

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// lacking returns the first field that a type has and a JSON value does not, as a path such as items[3].price, with the names that
// stand in its place; "" is none.
func lacking(value, into any) (path string, found []string) {
	return lackingOf(value, reflect.TypeOf(into))
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func lackingOf(value any, t reflect.Type) (string, []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if p := reflect.PointerTo(t); p.Implements(unmarshaler) || p.Implements(textUnmarshaler) {
		return "", nil // it reads itself
	}
	switch value := value.(type) {
	case []any:
		if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			for i, element := range value {
				if path, found := lackingOf(element, t.Elem()); path != "" {
					return joined(fmt.Sprintf("[%d]", i), path), found
				}
			}
		}
	case map[string]any:
		switch t.Kind() {
		case reflect.Struct:
			return lackingIn(value, t)
		case reflect.Map:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				if path, found := lackingOf(value[key], t.Elem()); path != "" {
					return joined(key, path), found
				}
			}
		}
	}
	return "", nil
}

// lackingIn looks for the fields of a struct in an object.
func lackingIn(object map[string]any, t reflect.Type) (string, []string) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			if field.Type.Kind() == reflect.Struct { // one behind a pointer may embed itself
				if path, found := lackingOf(object, field.Type); path != "" {
					return path, found
				}
			}
			continue
		}
		if !field.IsExported() || name == "-" && options == "" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		value, ok := member(object, name)
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		switch {
		case optional && value == nil:
			continue
		case !ok:
			return name, slices.Sorted(maps.Keys(object))
		case value == nil && !nullable(field.Type):
			return name, []string{"null"}
		}
		if path, found := lackingOf(value, field.Type); path != "" {
			return joined(name, path), found
		}
	}
	return "", nil
}

// nullable reports whether a type has a value for null.
func nullable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	}
	return reflect.PointerTo(t).Implements(unmarshaler)
}

// member finds a name as encoding/json does: as it is, or else in any case.
func member(object map[string]any, name string) (any, bool) {
	if value, ok := object[name]; ok {
		return value, true
	}
	for key, value := range object {
		if strings.EqualFold(key, name) {
			return value, true
		}
	}
	return nil, false
}

func joined(before, after string) string {
	if strings.HasPrefix(after, "[") {
		return before + after
	}
	return before + "." + after
}
