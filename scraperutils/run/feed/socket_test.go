package feed_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
)

// listening makes a socket that a test ends.
func listening(t *testing.T, path string) *feed.Socket {
	t.Helper()
	s, err := feed.Listen(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() }) // it may have ended
	return s
}

// The socket is for this user alone, and is gone after the run.
func TestSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite.live")
	s := listening(t, path)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSocket|0o600, info.Mode())
	require.NoError(t, s.Close())
	assert.NoFileExists(t, path)
}

// A socket that another run has made meanwhile stays.
func TestSocketOfAnotherStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite.live")
	s := listening(t, path)
	require.NoError(t, os.Remove(path))
	listening(t, path)
	require.NoError(t, s.Close())
	_, err := net.Dial("unix", path)
	assert.NoError(t, err)
}

// What a killed run has left is replaced; what is no such socket stays as it is, and is named.
func TestSocketThatIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want string // "": it is replaced
	}{
		"a socket of a killed run": {func(t *testing.T, path string) {
			l, err := net.Listen("unix", path)
			require.NoError(t, err)
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			require.NoError(t, l.Close())
		}, ""},
		"a socket that is in use": {func(t *testing.T, path string) { listening(t, path) }, "another process listens on"},
		"a file":                  {func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600)) }, "is no socket: remove it"},
		"a folder":                {func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }, "is no socket: remove it"},
		"a link to a socket": {func(t *testing.T, path string) {
			listening(t, path+".other")
			require.NoError(t, os.Symlink(path+".other", path))
		}, "is no socket: remove it"},
		"a link to nothing": {func(t *testing.T, path string) { require.NoError(t, os.Symlink(path+".other", path)) }, "is no socket: remove it"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data.sqlite.live")
			c.make(t, path)
			before, err := os.Lstat(path)
			require.NoError(t, err)
			s, err := feed.Listen(path)
			if c.want == "" {
				require.NoError(t, err)
				assert.NoError(t, s.Close())
				return
			}
			require.ErrorContains(t, err, c.want)
			after, err := os.Lstat(path)
			require.NoError(t, err)
			assert.True(t, os.SameFile(before, after))
			assert.NoFileExists(t, path+".other.lock")
		})
	}
}

// follow follows a path until the test ends.
func follow(t *testing.T, path string) (*feed.Follower, *feed.Hub) {
	hub := feed.NewHub()
	f := feed.NewFollower(path, hub)
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { f.Follow(ctx) })
	t.Cleanup(func() {
		leave()
		all.Wait()
	})
	f.Expect(true) // tests are in a hurry
	return f, hub
}

// tellOf begins a run that a test ends.
func tellOf(listener net.Listener, process int) *feed.Teller {
	return feed.NewTeller(listener, feed.Run{Process: process}, func() []feed.Status { return nil }, nobody)
}

func eventually(t *testing.T, met func() bool) {
	t.Helper()
	require.Eventually(t, met, time.Minute, 5*time.Millisecond)
}

// Runs are followed one after the other, also in a folder whose name is too long for a socket.
func TestFollower(t *testing.T) {
	for name, folder := range map[string]string{"a short path": "", "a long path": strings.Repeat("a-long-name/", 20)} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), folder, "data.sqlite.live")
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			f, hub := follow(t, path)
			assert.ErrorIs(t, f.Stop(""), feed.ErrNobody)
			for process := 1; process <= 2; process++ {
				s, err := feed.Listen(path)
				require.NoError(t, err)
				teller := tellOf(s, process)
				eventually(t, func() bool { p := hub.Picture(); return p.Going() && p.Run.Process == process })
				teller.End(feed.End{}, time.Minute)
				eventually(t, func() bool { return hub.Picture().End != nil })
				assert.NoFileExists(t, path)
			}
		})
	}
}

// A connection that breaks is made again, and nobody is told of an end; a run that is gone without a word was cut off.
func TestFollowerThatIsCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite.live")
	s := listening(t, path)
	_, hub := follow(t, path)
	for range 3 {
		c, err := s.Accept()
		require.NoError(t, err)
		_, err = c.Write([]byte(`{"run":{"process":7}}` + "\n"))
		require.NoError(t, err)
		eventually(t, func() bool { return hub.Picture().Run != nil })
		assert.False(t, hub.Picture().CutOff)
		require.NoError(t, c.Close())
	}
	require.NoError(t, s.Close())
	eventually(t, func() bool { return hub.Picture().CutOff })
}

// A path that no socket can have is refused in a line.
func TestSocketNames(t *testing.T) {
	for name, c := range map[string]struct{ path, want string }{
		"a long name": {filepath.Join(t.TempDir(), strings.Repeat("n", 200)), "is too long for the name of a socket"},
		"no folder":   {filepath.Join(t.TempDir(), "nowhere", "data.sqlite.live"), "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := feed.Listen(c.path)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
