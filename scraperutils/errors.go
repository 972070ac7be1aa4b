package scraperutils

import (
	"fmt"
	"net/http"
	"strings"
)

// UnprocessableSite says that an authority can't be scraped and that trying again is useless.
type UnprocessableSite struct {
	Reason string
	Kind   Class // ClassQuality unless something truer is known
	Err    error // what led to it, or nil
}

func (e *UnprocessableSite) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Err.Error()
}

func (e *UnprocessableSite) Unwrap() error { return e.Err }

// Class is e.Kind, or ClassQuality.
func (e *UnprocessableSite) Class() Class {
	if e.Kind == "" {
		return ClassQuality
	}
	return e.Kind
}

// UnprocessableRecord says that one record is no good. The others of its authority go on.
type UnprocessableRecord struct {
	Reason string
	Err    error // what led to it, or nil
}

func (e *UnprocessableRecord) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Err.Error()
}

func (e *UnprocessableRecord) Unwrap() error { return e.Err }

// Class is ClassQuality.
func (e *UnprocessableRecord) Class() Class { return ClassQuality }

// StatusError is an answer whose status is not that of a page.
type StatusError struct {
	Status int
	URL    string
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("status %03d", e.Status)
	if text := http.StatusText(e.Status); text != "" {
		s = fmt.Sprintf("%d %s", e.Status, text)
	}
	s += " for " + e.URL
	switch {
	case e.Status == http.StatusPartialContent:
		s += ", of which no part was asked for"
	case e.Status == http.StatusNotModified:
		s += ", of which nothing is kept"
	case e.Status/100 == 3:
		s += ", which names no other page"
	}
	return s
}

// Class goes by the first digit, but for too many requests. A status that no answer to a plain request may have is
// ClassProtocol: 1xx, 206, and what is outside 100 to 599.
func (e *StatusError) Class() Class {
	switch {
	case e.Status == http.StatusTooManyRequests:
		return ClassRateLimited
	case e.Status/100 == 3:
		return ClassHTTP3xx
	case e.Status/100 == 4:
		return ClassHTTP4xx
	case e.Status/100 == 5:
		return ClassHTTP5xx
	default:
		return ClassProtocol
	}
}

// LayoutError says that a page no longer has what the scraper looks for.
type LayoutError struct {
	URL     string
	Missing string   // what is not there, such as "table.grid" or "column date_received"
	Found   []string // what was there instead, as a help to mend the scraper
	Page    []string // what else is on the page: its title, headings, tables, forms
}

func (e *LayoutError) Error() string {
	s := "no " + e.Missing + " in " + e.URL
	if len(e.Found) > 0 {
		s += " (found: " + strings.Join(e.Found, ", ") + ")"
	}
	if len(e.Page) > 0 {
		s += "; the page has " + strings.Join(e.Page, "; ")
	}
	return s
}

// Class is ClassLayout.
func (e *LayoutError) Class() Class { return ClassLayout }

// TooLargeError is an answer with more of something than is read, or a request with more than is sent.
type TooLargeError struct {
	What  string // such as "the body"
	Limit int
	Unit  string // such as "MiB"
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has more than %d %s", e.What, e.Limit, e.Unit)
}

// Class is ClassOther: nothing is said about the layout, and no scraper that is mended would read it.
func (e *TooLargeError) Class() Class { return ClassOther }

// Unwanted is "oversized", in the words of those who decide on answers.
func (e *TooLargeError) Unwanted() string { return "oversized" }

// ConfigError is a setting that can't be used: nothing has run yet.
type ConfigError struct {
	Name     string // the flag, variable or key, as the user wrote it
	Value    string
	Accepted string // what would be right
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("%s: can't use %q: expected %s", e.Name, e.Value, e.Accepted)
}
