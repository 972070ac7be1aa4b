package cli

import (
	"cmp"
	"errors"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// errRange is the error for a value that a parser can read but a setting can't have.
var errRange = errors.New("out of range")

// Switch is what OnOff reads, in words.
const Switch = "1, true, yes or on; or 0, false, no or off"

// Text takes a value as it is.
func Text(s string) (string, error) { return s, nil }

// OneOf returns a parser of words, in any case of letters.
func OneOf(words ...string) func(string) (string, error) {
	return func(s string) (string, error) {
		for _, w := range words {
			if strings.EqualFold(s, w) {
				return w, nil
			}
		}
		return "", errRange
	}
}

// OnOff reads a switch.
func OnOff(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "1", "true", "yes", "on":
		return true, nil
	case "0", "false", "no", "off":
		return false, nil
	}
	return false, errRange
}

// Whole returns a parser of whole numbers in a range.
func Whole(low, high int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err == nil && (n < low || n > high) {
			err = errRange
		}
		return n, err
	}
}

// Number returns a parser of decimal numbers in a range.
func Number(low, high float64) func(string) (float64, error) {
	return func(s string) (float64, error) {
		n, err := strconv.ParseFloat(s, 64)
		inRange := n >= low && n <= high // NaN is not
		if err == nil && (!inRange || strings.ContainsAny(s, "xX_")) {
			err = errRange
		}
		return n, err
	}
}

// Percentage returns a parser of such numbers, with or without a percent sign.
func Percentage(low, high float64) func(string) (float64, error) {
	return func(s string) (float64, error) { return Number(low, high)(strings.TrimSuffix(s, "%")) }
}

// Duration returns a parser of seconds or Go durations, from zero to a limit.
func Duration(most time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		seconds, err := Number(0, most.Seconds())(s)
		if err == nil || errors.Is(err, errRange) {
			return time.Duration(seconds * float64(time.Second)), err
		}
		d, err := time.ParseDuration(s)
		if err == nil && (d < 0 || d > most) {
			err = errRange
		}
		return d, err
	}
}

// Timeout returns a parser of durations over zero.
func Timeout(most time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		d, err := Duration(most)(s)
		if err == nil && d == 0 {
			err = errRange
		}
		return d, err
	}
}

// HeaderLine reads what is to be the value of a header.
func HeaderLine(s string) (string, error) {
	if !httpguts.ValidHeaderFieldValue(s) {
		return "", errRange
	}
	return s, nil
}

// Proxy reads a proxy's URL and checks it as the gem does, with its words.
func Proxy(value string) (*url.URL, error) {
	u, err := url.Parse(value)
	switch {
	case !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "https://"):
		return nil, errors.New("Proxy URL must start with http:// or https://")
	case err != nil:
		//lint:ignore ST1005 the gem's sentence
		return nil, errors.New("Invalid proxy URL format")
	case u.Hostname() == "":
		return nil, errors.New("Proxy URL must include host and port")
	}
	if _, err := Whole(1, math.MaxUint16)(cmp.Or(u.Port(), "80")); err != nil {
		//lint:ignore ST1005 the gem's sentence
		return nil, errors.New("Invalid proxy URL format")
	}
	return u, nil
}

// DebugLevel is lenient, as the gem is: the number that a value begins with; 1 for any other text.
func DebugLevel(s string) (int, error) {
	level, err := strconv.Atoi(strings.TrimSuffix(s, strings.TrimLeft(s, "0123456789")))
	if err != nil {
		return 1, nil
	}
	return level, nil
}
