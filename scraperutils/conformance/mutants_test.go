package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mutantsVariable lets TestMutants run; it builds and runs the tests of many packages, many times.
const mutantsVariable = "CONFORMANCE_MUTANTS"

// A mutant is a case with one expected value changed.
type mutant struct {
	suite, at int // which case
	what      string
	out       json.RawMessage
}

// Some test of a case fails, whichever of its expected values is changed, and however.
func TestMutants(t *testing.T) {
	if os.Getenv(mutantsVariable) == "" {
		t.Skipf("%s is not set: make conformance-mutants", mutantsVariable)
	}
	suites := allSuites(t)
	var waiting []mutant
	for i, s := range suites {
		for j, c := range s.cases {
			if s.unrun == "" {
				waiting = append(waiting, mutantsOf(i, j, c.Out)...)
			}
		}
	}
	total := len(waiting)
	programs := buildTests(t, suites)
	failed, names := programs.run(t, nil, ".")
	require.Empty(t, failed, "the tests fail before anything is changed")
	var unnoticed []string
	for rounds := 1; len(waiting) > 0; rounds++ {
		var round, rest []mutant
		taken := map[string]bool{}
		for _, m := range waiting { // cases do not depend on one another: one mutant of each at a time
			if id := m.caseID(suites); taken[id] {
				rest = append(rest, m)
			} else {
				taken[id] = true
				round = append(round, m)
			}
		}
		waiting = rest
		failed, _ := programs.run(t, mutated(t, suites, round), pattern(round, suites, names))
		for _, m := range round {
			if !failed[m.caseID(suites)] {
				unnoticed = append(unnoticed, m.caseID(suites)+": "+m.what)
			}
		}
		t.Logf("round %d: %d mutants", rounds, len(round))
	}
	slices.Sort(unnoticed)
	t.Logf("%d mutants of %d suites, %d unnoticed", total, len(suites), len(unnoticed))
	assert.Empty(t, unnoticed, strings.Join(unnoticed, "\n"))
}

func (m mutant) caseID(suites []suite) string {
	return fmt.Sprint(suites[m.suite].id, " ", suites[m.suite].version, " ", m.at)
}

// mutantsOf returns a case with each of its expected values changed in several ways.
func mutantsOf(suite, at int, out json.RawMessage) (all []mutant) {
	d := json.NewDecoder(bytes.NewReader(out))
	d.UseNumber()
	var whole any
	if err := d.Decode(&whole); err != nil {
		panic(err) // it was read from JSON
	}
	change := func(path string, change func() (undo func())) {
		undo := change()
		text, err := json.Marshal(whole)
		if err != nil {
			panic(err)
		}
		undo()
		all = append(all, mutant{suite: suite, at: at, what: path, out: text})
	}
	eachValue("", whole, func(v any) { whole = v }, change)
	return all
}

// unexpected are the members of an outcome that nobody has to expect: what the gem did where it was wrong.
var unexpected = []string{"upstream"}

// eachValue calls change with each change of a value and of what is in it; set puts a value in its place.
func eachValue(path string, value any, set func(any), change func(string, func() func())) {
	replace := func(how string, by any) {
		change(fmt.Sprintf("%s %s: %v", path, how, by), func() func() {
			set(by)
			return func() { set(value) }
		})
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(unexpected, name) {
				eachValue(path+"/"+name, v[name], func(by any) { v[name] = by }, change)
			}
		}
		bigger := maps.Clone(v)
		bigger["mutant"] = 1
		replace("has one more", bigger)
	case []any:
		for i := range v {
			eachValue(path+"/"+strconv.Itoa(i), v[i], func(by any) { v[i] = by }, change)
		}
		if len(v) > 0 {
			replace("lacks its last", slices.Clone(v[:len(v)-1]))
			replace("has its last twice", append(slices.Clone(v), v[len(v)-1]))
		} else {
			replace("has one", []any{"mutant"})
		}
	case string:
		middle := len([]rune(v)) / 2
		replace("begins otherwise", "~"+v)
		replace("goes on otherwise", string([]rune(v)[:middle])+"~"+string([]rune(v)[middle:]))
		replace("ends otherwise", v+"~")
	case json.Number:
		replace("is more", json.Number(more(string(v))))
	case bool:
		replace("is", !v)
	case nil:
		replace("is not null", "mutant")
	}
}

// more is a number that is greater by three in its last place, or by one where it is whole.
func more(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return strconv.FormatInt(n+1, 10)
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.ContainsAny(number, "eE") || strings.Trim(fraction, "0") == "" {
		return whole + ".3"
	}
	step, _ := strconv.ParseFloat("3e-"+strconv.Itoa(len(fraction)), 64)
	return strconv.FormatFloat(n+step, 'f', len(fraction), 64)
}

// mutated writes a folder of suites with the mutants in place of their cases. All else is as it stands.
func mutated(t *testing.T, suites []suite, round []mutant) []string {
	t.Helper()
	var file map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(readFile(t, suitesFile), &file))
	outs := map[[2]int]json.RawMessage{}
	for _, m := range round {
		outs[[2]int{m.suite, m.at}] = m.out
	}
	type suiteFile struct {
		ID      string    `json:"id"`
		Version string    `json:"gem_version"`
		Cases   []rawCase `json:"cases"`
	}
	var all []suiteFile
	for i, s := range suites {
		cases := slices.Clone(s.cases)
		for j := range cases {
			if out, ok := outs[[2]int{i, j}]; ok {
				cases[j].Out = out
			}
		}
		all = append(all, suiteFile{s.id, s.version, cases})
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	file["suites"] = text
	text, err = json.Marshal(file)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, suitesFile), text, 0o600))
	return []string{Folder + "=" + dir}
}

// testPrograms are the packages' tests as programs, by the package's folder.
type testPrograms struct {
	root string
	path map[string]string
}

func buildTests(t *testing.T, suites []suite) testPrograms {
	t.Helper()
	p := testPrograms{root: root(t), path: map[string]string{}}
	dir := t.TempDir()
	for _, s := range suites {
		for _, name := range append(slices.Clone(s.packages), partsOf(s.owner)...) {
			if p.path[name] != "" {
				continue
			}
			p.path[name] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
			build := exec.Command("go", "test", "-c", "-o", p.path[name], "./"+name)
			build.Dir = p.root
			out, err := build.CombinedOutput()
			require.NoError(t, err, string(out))
		}
	}
	return p
}

var (
	attrLine = regexp.MustCompile(`^=== ATTR +(\S+) ` + caseAttr + ` (.+)$`)
	failLine = regexp.MustCompile(`^ *--- FAIL: (\S+)`)
)

// run runs the tests that a pattern picks and returns the cases of which a test failed, and the tests that ran each suite.
func (p testPrograms) run(t *testing.T, env []string, pattern string) (failed map[string]bool, tests map[string][]string) {
	t.Helper()
	failed, tests = map[string]bool{}, map[string][]string{}
	for name, path := range p.path {
		cases := map[string]string{} // by test
		command := exec.Command(path, "-test.v", "-test.run", pattern)
		command.Dir, command.Env = filepath.Join(p.root, name), append(os.Environ(), env...)
		if pattern == "." {
			command.Args[3] = "^TestSuite"
		}
		out, err := command.CombinedOutput()
		var exit *exec.ExitError
		require.True(t, err == nil || errors.As(err, &exit), "%v", err)
		lines := bufio.NewScanner(bytes.NewReader(out))
		lines.Buffer(nil, len(out)+1)
		for lines.Scan() {
			if m := attrLine.FindStringSubmatch(lines.Text()); m != nil {
				cases[m[1]] = m[2]
				suite := m[2][:strings.LastIndex(m[2], " ")]
				if test, _, _ := strings.Cut(m[1], "/"); !slices.Contains(tests[suite], test) {
					tests[suite] = append(tests[suite], test)
				}
			} else if m := failLine.FindStringSubmatch(lines.Text()); m != nil && cases[m[1]] != "" {
				failed[cases[m[1]]] = true
			}
		}
		require.NoError(t, lines.Err())
		_, panicked, _ := strings.Cut(string(out), "\npanic: ")
		require.Empty(t, panicked, "a test of %s panicked, and those after it did not run", name)
	}
	return failed, tests
}

// pattern picks the tests of the mutants of a round.
func pattern(round []mutant, suites []suite, names map[string][]string) string {
	var tests, cases []string
	for _, m := range round {
		tests = append(tests, names[suites[m.suite].id+" "+suites[m.suite].version]...)
		cases = append(cases, strconv.Itoa(m.at))
	}
	only := func(words []string) string {
		slices.Sort(words)
		return "^(" + strings.Join(slices.Compact(words), "|") + ")$"
	}
	return only(tests) + "/" + only(cases)
}
