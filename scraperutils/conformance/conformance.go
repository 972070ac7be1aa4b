// Package conformance gives tests what the Ruby gem ScraperUtils, and what saves and imports its records, was seen to do: cases
// in suites, each an input and what came out. They stand beside the repository, in ../shared/conformance; a clone has none, and
// there the tests are skipped. Nothing but tests imports this package.
//
// A test compares all that comes out of a case. Where this project departs from Ruby on purpose, departures.json says so, with
// both outcomes; no test has a rule of its own for that. suites.go says which package runs which suite. So a test fails when any
// expected value changes, and TestMutants shows that it does.
package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Folder is the variable that names the folder of suites to use instead of ../shared/conformance.
const Folder = "CONFORMANCE_FOLDER"

// caseAttr is the attribute under which a test's output names the case that it ran: suite, version, and position in the suite.
const caseAttr = "conformance"

// Each runs a test for each case of a suite, as one version of the gem has it. Case must have a place for all that a case says.
// The outcome that the test gets is that of this project: departures from Ruby have been put in. Where the suites are not, Each
// skips the whole test.
func Each[Case any](t *testing.T, id, version string, test func(*testing.T, Case)) {
	t.Helper()
	s, here := find(t, id, version), packageOf(t)
	if !s.runBy(here) {
		t.Fatalf("suites.go does not say that %s runs %s %s", here, id, version)
	}
	left := 0
	for i, c := range s.cases {
		if !s.belongsTo(c, here) {
			continue
		}
		left++
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			left--
			t.Attr(caseAttr, fmt.Sprint(id, " ", version, " ", i))
			t.Log(c.line())
			mine, why := caseOf[Case](t, s.departures(here), c)
			if why != "" {
				t.Skipf("replaced: %s", why)
			}
			defer func() {
				if t.Skipped() {
					t.Error("a case may be left out by departures.json alone")
				}
			}()
			test(t, mine)
		})
	}
	if left > 0 && !selecting() {
		t.Errorf("%d cases of %s %s were not run", left, id, version)
	}
}

// caseOf decodes a case after its departures, or says why nothing of it is left to test.
func caseOf[Case any](t *testing.T, departures []departure, raw rawCase) (c Case, why string) {
	t.Helper()
	for _, d := range departures {
		if !d.concerns(raw) {
			continue
		}
		out, err := d.apply(raw.Out)
		if err != nil {
			t.Fatalf("the departure %q: %v", d.Why, err)
		}
		if d.Ours == nil {
			return c, d.Why
		}
		t.Logf("differs from Ruby: %s", d.Why)
		raw.Out = out
	}
	if err := decode(raw.text(), &c); err != nil {
		t.Fatalf("the case is of another form: %v", err)
	}
	return c, ""
}

// decode reads JSON; a member that has no place in the value is an error.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// Decode reads an outcome, or a part of it, as strictly as Each reads a case.
func Decode(t testing.TB, text json.RawMessage, into any) {
	t.Helper()
	if err := decode(text, into); err != nil {
		t.Fatalf("the case is of another form: %v: %s", err, text)
	}
}

// Raised is an exception of the gem, written as class and text; the zero value is none.
type Raised struct{ Class, Text string }

// UnmarshalJSON reads a list of two texts, or null.
func (r *Raised) UnmarshalJSON(text []byte) error {
	var parts []string
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	if parts == nil {
		return nil
	}
	if len(parts) != 2 {
		return fmt.Errorf("%s is not a class and a text", text)
	}
	*r = Raised{parts[0], parts[1]}
	return nil
}

// Shared is the folder beside the repository with what the project is measured against; it may be missing.
func Shared(t testing.TB) string {
	t.Helper()
	return filepath.Join(root(t), "..", "shared")
}

// root is the folder of the repository.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// packageOf is the package whose tests run, as its folder in the repository.
func packageOf(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	name, err := filepath.Rel(root(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(name)
}

// folder is where the suites are.
func folder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(Folder); dir != "" {
		return dir
	}
	return filepath.Join(Shared(t), "conformance")
}

// readFile reads a file of the folder of suites; where there is none, it skips the test.
func readFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder(t), name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the gem's results are not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}
