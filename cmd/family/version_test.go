package family

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

func TestVersion(t *testing.T) {
	system := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	stamped := []debug.BuildSetting{{Key: "vcs.revision", Value: "375592f"}, {Key: "vcs.time", Value: "2026-11-22T20:40:13Z"}, {Key: "vcs.modified", Value: "true"}}
	for name, c := range map[string]struct {
		version string
		built   *debug.BuildInfo
		want    string
	}{
		"a build that says nothing": {"", nil, "books (unknown version)\n"},
		"a release":                 {"v0.2.0", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: stamped[:2]}, "books v0.2.0\ncommit 375592f of 2026-11-22T20:40:13Z\n"},
		"a working tree":            {"", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: stamped}, "books (devel)\ncommit 375592f of 2026-11-22T20:40:13Z, with changes that are in no commit\n"},
		"a module of one's own": {"", &debug.BuildInfo{Main: debug.Module{Version: "v1.0.0"}, Deps: []*debug.Module{{Path: "example.org/x", Version: "v9"}, {Path: project, Version: "v0.2.0"}}},
			"books v1.0.0\nmultiscraper v0.2.0\n"},
		"with a tree beside it": {"", &debug.BuildInfo{Main: debug.Module{Version: "v1.0.0"}, Deps: []*debug.Module{{Path: project, Version: "v0.2.0", Replace: &debug.Module{Path: "../multiscraper"}}}},
			"books v1.0.0\nmultiscraper ../multiscraper\n"},
	} {
		var out strings.Builder
		(&Family{Name: "books", Version: c.version}).printVersion(&out, c.built)
		assert.Equal(t, c.want+system, out.String(), name)
	}
	got := scrape(t, t.Context(), nil, "version")
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Contains(t, got.stdout, "scrape ")
	assert.Contains(t, got.stdout, system)
}
