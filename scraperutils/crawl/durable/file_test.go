package durable

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func put(t *testing.T, f *File, text string) {
	t.Helper()
	require.NoError(t, f.Append(t.Context(), func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestAGroupIsThereOrNothingOfIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Open(path)
	require.NoError(t, err)
	put(t, f, "one ")

	failure := errors.New("no more")
	err = f.Append(t.Context(), func(w io.Writer) error {
		_, _ = io.WriteString(w, "half a group, and longer than the next")
		return failure
	})
	require.ErrorIs(t, err, failure)
	assert.Equal(t, "one ", content(t, path))

	ctx, cancel := context.WithCancel(t.Context())
	err = f.Append(ctx, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		cancel()
		_, err := io.WriteString(w, " a group")
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, "one ", content(t, path))

	put(t, f, "two")
	require.NoError(t, f.Close())
	assert.Equal(t, "one two", content(t, path))
	assert.ErrorIs(t, f.Append(t.Context(), func(io.Writer) error { return nil }), fs.ErrClosed)
	require.NoError(t, f.Close())
}

// Where the file could not be cut back at once it is before anything else is written.
func TestWhatCouldNotBeCutBackIsLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Open(path)
	require.NoError(t, err)
	put(t, f, "one ")
	writable := f.file
	f.file, err = os.Open(path) // it can be neither written nor cut
	require.NoError(t, err)
	_, err = writable.WriteAt([]byte("something torn"), f.size)
	require.NoError(t, err)
	require.Error(t, f.Append(t.Context(), func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }))
	require.NoError(t, f.file.Close())
	f.file = writable
	put(t, f, "two")
	assert.Equal(t, "one two", content(t, path))
	require.NoError(t, f.Close())
}

func TestAFileHasOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Create(path)
	require.NoError(t, err)
	var locked *LockedError
	for name, open := range map[string]func(string) (*File, error){"Open": Open, "OpenLeft": OpenLeft} {
		_, err = open(path)
		require.ErrorAs(t, err, &locked, name)
	}
	_, err = Create(path)
	require.ErrorIs(t, err, fs.ErrExist)
	require.NoError(t, f.Close())
	f, err = OpenLeft(path)
	require.NoError(t, err)
	require.NoError(t, f.Finish(path+".done"))
	_, err = OpenLeft(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.NoFileExists(t, path)
}

// Somebody may rename or remove a file between its being opened and its being locked: then it is not the opener's.
func TestAFileThatIsTakenAwayWhileItIsOpenedIsNotTaken(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"removed":  os.Remove,
		"renamed":  func(path string) error { return os.Rename(path, path+".done") },
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x", 10)), 0o600))
			f, err := OpenLeft(path)
			require.NoError(t, err)
			require.NoError(t, f.lock.Unlock())
			require.NoError(t, take(path))
			var locked *LockedError
			require.ErrorAs(t, f.take(), &locked)
		})
	}
}

func TestWhatIsNoFileIsRefused(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := Open(pipe)
	require.ErrorContains(t, err, "expected an ordinary file")
	_, err = Open(t.TempDir())
	require.Error(t, err)

	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.Symlink(path, path+".link"))
	f, err := Open(path + ".link")
	require.NoError(t, err)
	put(t, f, "one")
	require.NoError(t, f.Close())
	assert.Equal(t, "one", content(t, path))
}
