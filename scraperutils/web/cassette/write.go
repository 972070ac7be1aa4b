package cassette

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Write writes the recording to path in VCR's format, so that Load reads back what was recorded. The file appears whole or
// not at all; a folder that is missing is made.
//
// What is secret is written as <REDACTED>: the request headers Authorization, Proxy-Authorization and Cookie, the values
// of cookies that are set, user and password in URLs, and each of secrets, and of what URLs that were asked for have as user and
// password, in headers, in URLs after the host, and in bodies, compressed ones too. Package secret says how they may be spelled,
// and what becomes of very short ones. In URLs it is escaped for user and password, so that they can be read.
func (c *Cassette) Write(path string, secrets ...string) error {
	if err := c.writeFile(path, newScrubber(append(c.usersOf(), secrets...))); err != nil {
		return fmt.Errorf("write cassette %s: %w", path, err)
	}
	return nil
}

func (c *Cassette) writeFile(path string, s scrubber) error {
	dir, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return errors.New("that names no file")
	}
	if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp(filepath.Clean(dir), "."+name+".*") // in the same folder: a rename must not cross file systems
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // where it is still there, whatever happened
	if err := cmp.Or(c.encode(f, s), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// encode writes the YAML. What is text is written in double quotes, the one style that holds every character.
func (c *Cassette) encode(out io.Writer, s scrubber) error {
	w := &encoder{Writer: bufio.NewWriterSize(out, 64<<10), scrub: s}
	w.line("---")
	if len(c.Interactions) == 0 {
		w.line("http_interactions: []")
	} else {
		w.line("http_interactions:")
	}
	for i := range c.Interactions {
		if err := w.interaction(c.Interactions[i]); err != nil {
			return fmt.Errorf("interaction %d: %w", i+1, err)
		}
	}
	w.failures(c.Failures)
	if c.Truncated {
		w.line("truncated: true")
	}
	if c.Missing > 0 {
		w.line(fmt.Sprint("missing: ", c.Missing))
	}
	w.line("recorded_with: multiscraper")
	return w.Flush()
}

// encoder writes lines; what went wrong shows in Flush.
type encoder struct {
	*bufio.Writer
	scrub scrubber
}

func (w *encoder) line(parts ...string) {
	for _, s := range parts {
		_, _ = w.WriteString(s)
	}
	_ = w.WriteByte('\n')
}

func (w *encoder) interaction(i Interaction) error {
	if err := i.check(); err != nil {
		return err
	}
	w.line("- request:")
	w.line("    method: ", quote(strings.ToLower(i.Request.Method)))
	w.line("    uri: ", quote(w.scrub.url(i.Request.URL)))
	if err := w.body(i.Request.Body, i.Request.Header); err != nil {
		return fmt.Errorf("request body: %w", err)
	}
	w.headers(w.scrub.requestHeader(i.Request.Header))
	w.line("  response:")
	w.line("    status:")
	w.line(fmt.Sprint("      code: ", i.Response.Status))
	w.line("      message: ", quote(w.scrub.text(i.Response.Message)))
	w.headers(w.scrub.responseHeader(i.Response.Header))
	if err := w.body(i.Response.Body, i.Response.Header); err != nil {
		return fmt.Errorf("response body: %w", err)
	}
	if !i.RecordedAt.IsZero() {
		w.line("  recorded_at: ", quote(i.RecordedAt.UTC().Format(http.TimeFormat)))
	}
	if i.Superseded {
		w.line("  superseded: true")
	}
	return nil
}

// failures writes what had no answer. VCR and others that read the format pass over it.
func (w *encoder) failures(all []Failure) {
	if len(all) > 0 {
		w.line("failures:")
	}
	for _, f := range all {
		w.line("- method: ", quote(strings.ToLower(f.Request.Method)))
		w.line("  uri: ", quote(w.scrub.url(f.Request.URL)))
		w.line("  class: ", quote(string(f.Class)))
		w.line("  message: ", quote(w.scrub.text(withoutUserinfo(f.Message))))
		w.line(fmt.Sprint("  after: ", f.After))
		if !f.At.IsZero() {
			w.line("  failed_at: ", quote(f.At.UTC().Format(http.TimeFormat)))
		}
	}
}

func (w *encoder) headers(h http.Header) {
	if len(h) == 0 {
		w.line("    headers: {}")
		return
	}
	w.line("    headers:")
	for _, name := range slices.Sorted(maps.Keys(h)) {
		w.line("      ", quoteKey(name, "      "), ":")
		for _, v := range h[name] {
			w.line("      - ", quote(v))
		}
	}
}

func (w *encoder) body(body Body, h http.Header) error {
	b, err := body.Bytes()
	if err != nil {
		return err
	}
	b = w.scrub.body(b, h.Get("Content-Encoding"))
	w.line("    body:")
	if utf8.Valid(b) && !swells(b) {
		w.line("      encoding: UTF-8")
		w.line("      string: ", quoteLines(string(b), "        "))
	} else {
		w.line("      encoding: ASCII-8BIT")
		w.line("      string: !binary |-")
		w.line("        ", base64.StdEncoding.EncodeToString(b))
	}
	if body.Cut != Whole {
		w.line("      cut: ", quote(string(body.Cut)))
	}
	return nil
}
