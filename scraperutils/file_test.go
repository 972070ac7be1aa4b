package scraperutils_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("ten"), []byte("0123456789"), 0o600))
	require.NoError(t, os.Symlink(at("ten"), at("link")))
	require.NoError(t, os.Symlink(at("loop"), at("loop")))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	require.NoError(t, os.WriteFile(at("empty"), nil, 0o600))
	text, err := scraperutils.ReadFile(at("empty"), 10)
	require.NoError(t, err)
	assert.Empty(t, text)
	for name, path := range map[string]string{"a file": at("ten"), "a link to one": at("link")} {
		text, err := scraperutils.ReadFile(path, 10)
		require.NoError(t, err, name)
		assert.Equal(t, "0123456789", string(text), name)
	}
	for name, c := range map[string]struct{ path, want string }{
		"a device without end":      {"/dev/zero", "read /dev/zero: expected an ordinary file, not a device"},
		"a device without content":  {"/dev/null", "not a device"},
		"a file that is waited for": {"/proc/self/mounts", "not a device"},
		"a pipe nobody writes to":   {at("pipe"), "not a pipe"},
		"a directory":               {dir, "not a directory"},
		"a loop of links":           {at("loop"), "too many levels of symbolic links"},
		"no file":                   {at("none"), "no such file"},
		"a name with a NUL":         {"a\x00b", "invalid argument"},
	} {
		_, err := scraperutils.ReadFile(c.path, 10)
		assert.ErrorContains(t, err, c.want, name)
	}
	_, err = scraperutils.ReadFile(at("ten"), 9)
	assert.EqualError(t, err, "read "+at("ten")+": expected at most 9 bytes")
}
