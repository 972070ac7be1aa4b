package feed_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
)

// asNobody does something as another user, in a thread of its own that ends with it.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	const nobody = 65534
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread() // for ever: the thread is of no more use
		_, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody)
		if errno == 0 {
			do()
		}
		done <- errno
	}()
	require.Zero(t, <-done)
}

// Another user can't connect, and gets nothing even where the mode of the socket would let it.
func TestAnotherUser(t *testing.T) {
	folder, err := os.MkdirTemp("", "feed") // that of the test is closed to others
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(folder)) })
	require.NoError(t, os.Chmod(folder, 0o755))
	path := filepath.Join(folder, "data.sqlite.live")
	s := listening(t, path)
	asNobody(t, func() {
		_, err := net.Dial("unix", path)
		assert.ErrorIs(t, err, syscall.EACCES)
	})
	require.NoError(t, os.Chmod(path, 0o666))
	accepted := make(chan error, 1)
	go func() {
		_, err := s.Accept()
		accepted <- err
	}()
	asNobody(t, func() {
		c, err := net.Dial("unix", path)
		if assert.NoError(t, err) {
			assert.NoError(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
			_, err = c.Read(make([]byte, 1))
			assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the connection is closed")
		}
	})
	require.NoError(t, s.Close())
	assert.ErrorIs(t, <-accepted, net.ErrClosed, "nobody was accepted")
}

// A socket of another user is neither removed nor believed.
func TestSocketOfAnotherUser(t *testing.T) {
	folder, err := os.MkdirTemp("", "feed")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(folder)) })
	require.NoError(t, os.Chmod(folder, 0o777))
	path := filepath.Join(folder, "data.sqlite.live")
	var theirs net.Listener
	asNobody(t, func() {
		var err error
		theirs, err = net.Listen("unix", path)
		assert.NoError(t, err)
	})
	defer theirs.Close()
	_, err = feed.Listen(path)
	require.ErrorContains(t, err, "belongs to user 65534")
	_, hub := follow(t, path)
	c, err := theirs.Accept()
	require.NoError(t, err)
	_, _ = c.Write([]byte(`{"run":{"process":7}}` + "\n")) // it may be closed already
	_, err = theirs.Accept()
	require.NoError(t, err, "it tries again")
	assert.Nil(t, hub.Picture().Run)
}
