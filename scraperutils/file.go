package scraperutils

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// ReadFile reads a file that a user has named. What is not an ordinary file (a directory, a device, a pipe), and what is longer than
// limit bytes, is an error: it might have no end.
func ReadFile(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // so that a pipe without a writer is not waited for
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || mayWait(file, info) {
		return nil, fmt.Errorf("read %s: expected an ordinary file, not %s", path, kindOf(info.Mode()))
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("read %s: expected at most %d bytes", path, limit)
	}
	return data, err
}

// mayWait reports whether a file of the system, such as /proc/kmsg, has its reader wait for what comes next. It has no size, and
// Go can wait for it until a deadline, which no file of a disk has both.
func mayWait(file *os.File, info os.FileInfo) bool {
	return info.Size() == 0 && file.SetReadDeadline(time.Time{}) == nil
}

// kindOf names what is not an ordinary file.
func kindOf(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&os.ModeNamedPipe != 0:
		return "a pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}
