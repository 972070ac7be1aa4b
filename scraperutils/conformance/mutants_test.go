package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	var same []mutant
	for i, s := range suites {
		for j, c := range s.cases {
			same = append(same, mutant{suite: i, at: j, out: readValue(c.Out).text()})
		}
	}
	failed, _ = programs.run(t, mutated(t, suites, same), ".")
	require.Empty(t, failed, "the tests fail when the suites are only written anew")
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
	t.Logf("%d mutants, %d unnoticed", total, len(unnoticed))
	assert.Empty(t, unnoticed, strings.Join(unnoticed, "\n"))
}

func (m mutant) caseID(suites []suite) string {
	return fmt.Sprint(suites[m.suite].id, " ", suites[m.suite].version, " ", m.at)
}

// mutantsOf returns a case with each of its expected values changed in several ways.
func mutantsOf(suite, at int, out json.RawMessage) (all []mutant) {
	whole := readValue(out)
	change := func(what string, change func() (undo func())) {
		undo := change()
		all = append(all, mutant{suite: suite, at: at, what: what, out: whole.text()})
		undo()
	}
	whole.mutate("", change)
	return all
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
