package family

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

// project is the module that this package belongs to.
const project = "github.com/multiscraper/multiscraper"

// versionCommand is the command's version.
type versionCommand struct {
	family *Family
}

func (v *versionCommand) Run(_ context.Context, c cli.Console) (int, error) {
	built, _ := debug.ReadBuildInfo() // nil where a binary has none
	v.family.printVersion(c.Stdout, built)
	return cli.ExitOK, nil
}

// printVersion writes what the binary was built from, a line for each thing that is known.
func (f *Family) printVersion(w io.Writer, built *debug.BuildInfo) {
	if built == nil {
		built = &debug.BuildInfo{}
	}
	fmt.Fprintf(w, "%s %s\n", f.Name, cmp.Or(f.Version, built.Main.Version, "(unknown version)"))
	for _, d := range built.Deps {
		if d.Replace != nil {
			d = &debug.Module{Path: d.Path, Version: cmp.Or(d.Replace.Version, d.Replace.Path)}
		}
		if d.Path == project {
			fmt.Fprintf(w, "multiscraper %s\n", d.Version)
		}
	}
	stamp := map[string]string{}
	for _, s := range built.Settings {
		stamp[s.Key] = s.Value
	}
	if commit := stamp["vcs.revision"]; commit != "" {
		changed := ""
		if stamp["vcs.modified"] == "true" {
			changed = ", with changes that are in no commit"
		}
		fmt.Fprintf(w, "commit %s of %s%s\n", commit, stamp["vcs.time"], changed)
	}
	fmt.Fprintf(w, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
