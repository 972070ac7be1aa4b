package scraperutils

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// RecordOf returns a struct, or what a pointer to one points to, as a record: one field for each exported field, in order, under the
// name that its tag gives.
//
//	type Book struct {
//		ISBN    string    `field:"isbn"`
//		Title   string    `field:"title"`
//		Shelf   string    `field:"shelf,omitempty"` // NULL where it is empty
//		Due     time.Time `field:"due"`             // a date, 2026-11-22; NULL where it is zero
//		Changed time.Time `field:"changed,time"`    // with the time of day, 2026-11-22T13:04:05Z
//		Copies  int       `field:"copies"`
//		page    string    // not exported: no field
//		Note    string    `field:"-"` // no field
//	}
//
// A field is text, a number, a bool (1 or 0), a time.Time, bytes, a driver.Valuer such as an amount of money, or a pointer to one of
// these; a nil is NULL. A json.Number becomes an integer where it is one, and else the text that it has, so that nothing of it is lost.
// A field without a tag, two of one name, and a struct, list or map inside are errors of the program. A value that no column holds is
// an *UnprocessableRecord, beside which stand the fields before it.
func RecordOf(v any) (Record, error) {
	value := reflect.ValueOf(v)
	for value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return nil, fmt.Errorf("record of %T: expected a struct or a pointer to one", v)
	}
	record := make(Record, 0, value.NumField())
	for field, held := range value.Fields() {
		tag, err := tagOf(field)
		if err == nil && tag.name == "" {
			continue
		}
		if _, twice := record.Get(tag.name); err == nil && twice {
			err = fmt.Errorf("two fields are called %s", tag.name)
		}
		var column any
		if err == nil {
			column, err = columnOf(held, tag)
		}
		if err != nil {
			return record, fmt.Errorf("record of %T: field %s: %w", v, field.Name, err)
		}
		record = append(record, Field{Name: tag.name, Value: column})
	}
	return record, nil
}

// fieldTag is what stands in a struct field's tag. One without a name is not for the record.
type fieldTag struct {
	name      string
	omitEmpty bool
	withTime  bool
}

func tagOf(field reflect.StructField) (fieldTag, error) {
	if !field.IsExported() && !field.Anonymous {
		return fieldTag{}, nil
	}
	text, ok := field.Tag.Lookup("field")
	name, options, _ := strings.Cut(text, ",")
	switch {
	case text == "-":
		return fieldTag{}, nil
	case field.Anonymous:
		return fieldTag{}, errNested
	case !ok || name == "":
		return fieldTag{}, errors.New("expected a tag with its name, such as `field:\"title\"`, or `field:\"-\"`")
	}
	tag := fieldTag{name: name}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "omitempty":
			tag.omitEmpty = true
		case "time":
			tag.withTime = true
		default:
			return fieldTag{}, fmt.Errorf("its tag has %q: expected omitempty or time", option)
		}
	}
	return tag, nil
}

var errNested = errors.New("a record is flat: expected text, a number, a bool, a time.Time, bytes, a driver.Valuer, or a pointer to one")

// columnOf returns a value as a column holds it.
func columnOf(v reflect.Value, tag fieldTag) (any, error) {
	switch held := v.Interface().(type) {
	case time.Time:
		return timeColumn(held, tag), nil
	case driver.Valuer:
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, nil
		}
		column, err := held.Value()
		if err != nil {
			return nil, &UnprocessableRecord{Reason: tag.name, Err: err}
		}
		if column == nil || tag.omitEmpty && v.IsZero() {
			return nil, nil
		}
		return columnOf(reflect.ValueOf(column), tag)
	case json.Number:
		if i, err := held.Int64(); err == nil {
			return i, nil
		}
	}
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return columnOf(v.Elem(), fieldTag{name: tag.name, withTime: tag.withTime}) // a pointer is empty where it is nil
	}
	column, err := plainColumn(v, tag.name)
	if tag.omitEmpty && err == nil && (v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0) {
		return nil, nil
	}
	return column, err
}

// timeColumn writes a date, or with the option a point in time. The zero time is neither.
func timeColumn(t time.Time, tag fieldTag) any {
	switch {
	case t.IsZero():
		return nil
	case tag.withTime:
		return t.Format(time.RFC3339)
	default:
		return t.Format(time.DateOnly)
	}
}

func plainColumn(v reflect.Value, name string) (any, error) {
	switch v.Kind() {
	case reflect.String:
		return v.String(), nil
	case reflect.Bool:
		if v.Bool() {
			return int64(1), nil
		}
		return int64(0), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v.Uint() > math.MaxInt64 {
			return nil, &UnprocessableRecord{Reason: fmt.Sprintf("%s: %d is more than a column holds", name, v.Uint())}
		}
		return int64(v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, &UnprocessableRecord{Reason: fmt.Sprintf("%s: %v is no number that a column holds", name, f)}
		}
		return v.Float(), nil
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return nil, errNested
		}
		if v.IsNil() {
			return nil, nil
		}
		return v.Bytes(), nil
	case reflect.Pointer:
		return plainPointer(v, name)
	default:
		return nil, errNested
	}
}

// plainPointer returns NULL for a nil that could point to a column.
func plainPointer(v reflect.Value, name string) (any, error) {
	if v.Type().Elem() == reflect.TypeFor[time.Time]() {
		return nil, nil
	}
	_, err := plainColumn(reflect.Zero(v.Type().Elem()), name)
	return nil, err
}
