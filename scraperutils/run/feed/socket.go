package feed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Suffix is what the name of a run's socket has behind that of its database.
const Suffix = ".live"

// Socket is a Unix socket on which a run can be followed. It is a net.Listener.
type Socket struct {
	*net.UnixListener
	path string
	file os.FileInfo // of the socket, as it was made
}

// Listen makes a socket that only processes of this user can connect to. The caller holds the lock of what the socket is of, so that a
// socket of this user that stands there already is left from a process that was killed: Listen replaces it. It leaves everything else that
// stands there as it is, and returns an error.
func Listen(path string) (*Socket, error) {
	address, done, err := addressOf(path)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := listen(path, address)
	if errors.Is(err, syscall.EADDRINUSE) {
		if err := removeStale(path, address); err != nil {
			return nil, err
		}
		s, err = listen(path, address)
	}
	return s, err
}

func listen(path, address string) (*Socket, error) {
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) }) // with which Linux makes the file; others refuse it
	}}
	l, err := config.Listen(context.Background(), "unix", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, reason(err))
	}
	s := &Socket{UnixListener: l.(*net.UnixListener), path: path}
	s.SetUnlinkOnClose(false) // another process may have made one of that name meanwhile
	if s.file, err = os.Lstat(path); err == nil && s.file.Mode().Perm() != 0o600 {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen on %s: %w", path, err), s.Close())
	}
	return s, nil
}

// removeStale removes a socket that nobody listens on.
func removeStale(path, address string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is no socket: remove it", path)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d: remove it", path, stat.Uid)
	}
	if c, err := net.Dial("unix", address); err == nil {
		_ = c.Close() // nothing was said
		return fmt.Errorf("another process listens on %s", path)
	}
	return os.Remove(path)
}

// Accept returns the next connection of a process of the same user. It closes others.
func (s *Socket) Accept() (net.Conn, error) {
	for {
		c, err := s.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if isOfThisUser(c) {
			return c, nil
		}
		_ = c.Close() // nothing was said
	}
}

// Close ends the socket and removes its file, if that is still its own.
func (s *Socket) Close() error {
	err := s.UnixListener.Close()
	if file, e := os.Lstat(s.path); e == nil && s.file != nil && os.SameFile(file, s.file) {
		err = errors.Join(err, os.Remove(s.path))
	}
	return err
}

// dial connects to the socket of a run of this user.
func dial(ctx context.Context, path string) (net.Conn, error) {
	address, done, err := addressOf(path)
	if err != nil {
		return nil, err
	}
	defer done()
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, err
	}
	if !isOfThisUser(c.(*net.UnixConn)) {
		_ = c.Close() // nothing was said
		return nil, fmt.Errorf("%s belongs to another user", path)
	}
	return c, nil
}

// longestAddress is how many bytes the path of a socket has at most, on all systems.
const longestAddress = 103

// addressOf returns a name for a path that is short enough for a socket. The caller calls done once it has used the name.
func addressOf(path string) (address string, done func(), err error) {
	if len(path) <= longestAddress {
		return path, func() {}, nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	address = "/proc/self/fd/" + strconv.Itoa(int(folder.Fd())) + "/" + filepath.Base(path)
	if _, err := os.Stat(filepath.Dir(address)); err != nil || len(address) > longestAddress {
		_ = folder.Close() // it was only named
		return "", nil, fmt.Errorf("%s is too long for the name of a socket", path)
	}
	return address, func() { _ = folder.Close() }, nil
}

// reason is what the system says of a socket, without the name that it goes by.
func reason(err error) error {
	var system *os.SyscallError
	if errors.As(err, &system) {
		return system.Err
	}
	return err
}
