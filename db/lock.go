package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// LockedError says that another process writes the database.
type LockedError struct {
	Path    string    // of the database
	PID     int       // 0 if the lock file does not say
	Since   time.Time // zero if the lock file does not say
	Command string    // as it was started
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("database %q is in use by another process: wait until it has ended", e.Path)
	}
	return fmt.Sprintf("database %q is in use by process %d since %s (%s): wait until it has ended",
		e.Path, e.PID, e.Since.Format(time.RFC3339), e.Command)
}

// maxHolder is how many bytes a lock file has at most: a command line can have two million.
const maxHolder = 4 << 20

// lock keeps other processes from writing the database. The file that it is made with stays after release: what counts is
// the system's lock on it, which dies with the process.
type lock struct{ file *flock.Flock }

// lockPatience is how long takeLock retries: Holder may hold the lock for an instant, which is longer on a machine that has much to do.
const lockPatience = 500 * time.Millisecond

// takeLock takes the lock on the file beside the database and writes into it who has it.
func takeLock(database string) (*lock, error) {
	path := database + ".lock"
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, refused(database, fmt.Errorf("lock: %w", err))
	case !info.Mode().IsRegular(): // a pipe would be waited for, and a link written through
		return nil, &OpenError{Path: database, Advice: "its lock file " + path + " is no ordinary file: remove it"}
	}
	file := flock.New(path, flock.SetPermissions(0o644))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	taken, err := file.TryLockContext(ctx, lockPatience/100)
	switch {
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		return nil, refused(database, fmt.Errorf("lock: %w", err))
	case !taken:
		locked := &LockedError{}
		if text, err := scraperutils.ReadFile(path, maxHolder); err == nil {
			locked, _ = parseHolder(string(text))
		}
		locked.Path = database
		return nil, locked
	}
	l := &lock{file}
	if err := os.WriteFile(path, []byte(holder(os.Getpid(), time.Now(), os.Args)), 0o644); err != nil {
		_ = l.release()
		return nil, refused(database, fmt.Errorf("lock: %w", err))
	}
	return l, nil
}

// Holder returns the process that has the lock of a database now, or 0. To find out, it takes the lock for an instant, on a file that is
// opened only for reading. takeLock is patient enough for that.
func Holder(database string) (pid int) {
	database, err := resolve(database)
	if err != nil {
		return 0
	}
	path := database + ".lock"
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	file := flock.New(path, flock.SetFlag(os.O_RDONLY))
	if free, err := file.TryRLock(); err != nil || free {
		_ = file.Close()
		return 0
	}
	locked, _ := parseHolder(string(text))
	return locked.PID
}

func (l *lock) release() error { return l.file.Unlock() }

// holder is the text of a lock file: pid N since TIME command.
func holder(pid int, since time.Time, command []string) string {
	oneLine := strings.Join(strings.Fields(strings.Join(command, " ")), " ")
	return fmt.Sprintf("pid %d since %s %s\n", pid, since.Format(time.RFC3339), oneLine)
}

// parseHolder reads such a text. What it can't read (the other process may be writing it) is left zero, and it says so.
func parseHolder(text string) (e *LockedError, ok bool) {
	words := strings.Fields(text)
	if len(words) < 4 || words[0] != "pid" || words[2] != "since" {
		return &LockedError{}, false
	}
	pid, err := strconv.Atoi(words[1])
	if err != nil || pid <= 0 {
		return &LockedError{}, false
	}
	since, err := time.Parse(time.RFC3339, words[3])
	if err != nil {
		return &LockedError{}, false
	}
	return &LockedError{PID: pid, Since: since, Command: strings.Join(words[4:], " ")}, true
}
