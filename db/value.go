package db

import (
	"bytes"
	"fmt"
	"math"
	"time"
	"unicode/utf8"
)

const acceptedValues = "accepted: nil, integers within 64 bits, finite floats, text in UTF-8, bytes, times"

// stored returns what SQLite keeps for a value, or why it can't. The result shares nothing with the value.
func stored(value any) (any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, fmt.Errorf("%q is not valid UTF-8 (%s)", v, acceptedValues)
		}
		return value, nil // not v: that would be boxed anew
	case []byte:
		if v == nil {
			return nil, nil
		}
		return bytes.Clone(v), nil
	case time.Time:
		if year := v.Year(); year < 0 || year > 9999 {
			return nil, fmt.Errorf("%v is in a year of more than four digits (%s)", v, acceptedValues)
		}
		return timeText(v), nil
	case float32:
		return finite(float64(v))
	case float64:
		return finite(v)
	default:
		return integer(value)
	}
}

// timeText writes a time to the second: in UTC without a zone, in any other location (also one that keeps UTC's time)
// with its offset.
func timeText(t time.Time) string {
	if t.Location() == time.UTC {
		return t.Format("2006-01-02T15:04:05")
	}
	return t.Format("2006-01-02T15:04:05-07:00")
}

func finite(v float64) (any, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("%v is not a finite number (%s)", v, acceptedValues)
	}
	return v, nil
}

func integer(value any) (any, error) {
	switch v := value.(type) {
	case int:
		return int64(v), nil
	case int8:
		return int64(v), nil
	case int16:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case int64:
		return v, nil
	case uint8:
		return int64(v), nil
	case uint16:
		return int64(v), nil
	case uint32:
		return int64(v), nil
	case uint:
		return within64(uint64(v))
	case uint64:
		return within64(v)
	}
	return nil, fmt.Errorf("can't save %v (%s)", value, acceptedValues)
}

func within64(v uint64) (any, error) {
	if v > math.MaxInt64 {
		return nil, fmt.Errorf("%d is beyond %d (%s)", v, math.MaxInt64, acceptedValues)
	}
	return int64(v), nil
}
