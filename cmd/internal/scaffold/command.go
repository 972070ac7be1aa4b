package scaffold

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

// Command is scrape init.
type Command struct {
	Dir     string `arg:"" help:"The folder to write it into, which is empty or not there yet. Its name is that of the command." type:"path"`
	Module  string `help:"The path of the module; the name of the folder without it." placeholder:"PATH"`
	Replace string `help:"The folder of a Multiscraper to use, instead of a version that is fetched; the one that this binary was built from, if it was built from a folder." type:"path" placeholder:"DIR"`
}

// Run writes the module and says what to do with it.
func (i *Command) Run(_ context.Context, c cli.Console) (int, error) {
	name := filepath.Base(i.Dir)
	m := Module{Name: name, Module: cmp.Or(i.Module, name), Version: "v0.0.0", Replace: i.Replace}
	if m.Replace == "" {
		m.Version, m.Replace = origin()
	}
	written, err := m.Write(i.Dir)
	if err != nil {
		return cli.ExitUnexpected, err
	}
	fmt.Fprintf(c.Stdout, "Written to %s: %s\n\nNext:\n\n    cd %s\n", i.Dir, strings.Join(written, ", "), i.Dir)
	if m.Replace == "" {
		fmt.Fprintln(c.Stdout, "    go mod tidy")
	}
	fmt.Fprint(c.Stdout, "    go test ./...\n    go run . --fixtures\n\nREADME.md there says how to make it yours.\n")
	return cli.ExitOK, nil
}

// origin returns the version of Multiscraper that a new module needs: that of this binary, or where that was built from a folder, the folder.
func origin() (version, folder string) {
	if built, ok := debug.ReadBuildInfo(); ok {
		version = built.Main.Version
		for _, d := range built.Deps {
			if d.Path == project {
				version = d.Version
			}
		}
	}
	_, source, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(source))))
	if filepath.IsAbs(source) && !strings.Contains(root, "@") { // else it comes from the cache of modules, or says nothing of where it was
		return "v0.0.0", root
	}
	if version == "" || version == "(devel)" {
		version = "latest"
	}
	return version, ""
}
