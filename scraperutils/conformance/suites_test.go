package conformance

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every file of the folder and every suite has somebody who runs it, or a reason why nobody does; and nothing is listed that is
// not there.
func TestEverySuiteIsRunOrSaysWhyNot(t *testing.T) {
	var inFile, listed []string
	for _, s := range allSuites(t) {
		inFile = append(inFile, s.id+" "+s.version)
		assert.NotEmpty(t, s.cases, s.id)
		for i, c := range s.cases {
			runs := slices.ContainsFunc(append(slices.Clone(s.packages), partsOf(s.owner)...), func(name string) bool { return s.belongsTo(c, name) })
			assert.NotEqual(t, s.unrun != "", runs, "case %d of %s is run by nobody, or is run though the suite says why not", i, s.id)
		}
	}
	for _, o := range owners {
		listed = append(listed, o.id+" "+o.version)
	}
	assert.ElementsMatch(t, listed, inFile)

	files, err := os.ReadDir(folder(t))
	require.NoError(t, err)
	for _, f := range files {
		assert.Contains(t, []string{"README.md", suitesFile}, f.Name(), "a file that no test reads")
	}
}

func partsOf(o owner) (names []string) {
	for _, name := range o.parts {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// The tests of a package run the suites that they are listed for, all of them and no others.
func TestEveryPackageRunsItsSuites(t *testing.T) {
	want := []string{}
	for _, o := range owners {
		for _, name := range append(slices.Clone(o.packages), partsOf(o)...) {
			want = append(want, fmt.Sprint(name, " runs ", o.id, " ", o.version))
		}
	}
	assert.ElementsMatch(t, want, callsOfEach(t))
}

// callsOfEach finds the calls of Each in the tests of the project: "PACKAGE runs SUITE VERSION".
func callsOfEach(t *testing.T) []string {
	found := []string{}
	top := root(t)
	require.NoError(t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(top, filepath.Dir(path))
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 4 {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Each" && fmt.Sprint(f.X) == "conformance" {
				found = append(found, fmt.Sprint(filepath.ToSlash(folder), " runs ", literal(call.Args[1]), " ", literal(call.Args[2])))
			}
			return true
		})
		return err
	}))
	return found
}

func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok {
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	return "(not a literal)"
}

// A departure is of one case that a package of its suite runs, and says why.
func TestDepartures(t *testing.T) {
	suites := allSuites(t)
	departures, err := allDepartures()
	require.NoError(t, err)
	for _, d := range departures {
		i := slices.IndexFunc(suites, func(s suite) bool { return s.id == d.Suite && s.version == d.Version })
		require.GreaterOrEqual(t, i, 0, "%+v", d)
		matches := 0
		for _, c := range suites[i].cases {
			if d.concerns(c) {
				matches++
			}
		}
		assert.Equal(t, 1, matches, "%s %s", d.Suite, d.In)
		assert.NotEmpty(t, d.Why, "%s %s", d.Suite, d.In)
		assert.False(t, d.Ours == nil && d.At != "", "a case can be replaced only as a whole: %s %s", d.Suite, d.In)
		assert.False(t, same(d.Theirs, d.Ours), "%s %s: nothing differs", d.Suite, d.In)
		assert.True(t, d.Package == "" || suites[i].runBy(d.Package), "%s %s", d.Suite, d.In)
	}
}
