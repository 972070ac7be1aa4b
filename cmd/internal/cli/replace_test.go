package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReplace writes a file anew: whole, or not at all.
func TestReplace(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "page.html")
	write := func(path, text string, failed error) error {
		out, err := Replace(path)
		require.NoError(t, err)
		_, err = io.WriteString(out, text)
		return out.Finish(errors.Join(err, failed))
	}
	holds := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Len(t, files, 1, "nothing is left beside it")
	}
	require.NoError(t, write(path, "first", nil))
	holds("first")
	require.NoError(t, os.Chmod(path, 0o640))
	require.ErrorIs(t, write(path, "half", syscall.ENOSPC), syscall.ENOSPC)
	holds("first")
	require.NoError(t, write(path, "second", nil))
	holds("second")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode())

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, write(link, "through a link", nil))
	holds("through a link")

	require.NoError(t, write(os.DevNull, "gone", nil))
	_, err = Replace(filepath.Join(folder, "no such folder", "page.html"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
