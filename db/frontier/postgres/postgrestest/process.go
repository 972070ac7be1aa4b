package postgrestest

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// PostgreSQL does not run as root: nobody returns who it runs as instead. Not ok: tests do not run as root.
func nobody() (uid, gid int, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ = strconv.Atoi(u.Uid)
		gid, _ = strconv.Atoi(u.Gid)
		return uid, gid, uid > 0
	}
	return 65534, 65534, true
}

func asNobody() *syscall.SysProcAttr {
	uid, gid, ok := nobody()
	if !ok {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// give makes a file the server's.
func give(path string) error {
	uid, gid, ok := nobody()
	if !ok {
		return nil
	}
	return os.Chown(path, uid, gid)
}

// cpuOf returns the processor time of the process that a file names and of its children, those that have ended too.
func cpuOf(pidFile string) (sum time.Duration) {
	text, err := os.ReadFile(pidFile)
	if err != nil {
		return 0
	}
	pid, _, _ := strings.Cut(string(text), "\n")
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		id, rest, _ := strings.Cut(string(text), " ")
		fields := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
		if len(fields) < 15 || id != pid && fields[1] != pid {
			continue
		}
		own := 2 // utime and stime
		if id == pid {
			own = 4 // and those of the children that have ended
		}
		for _, f := range fields[11 : 11+own] {
			n, _ := strconv.Atoi(f)
			sum += time.Duration(n) * 10 * time.Millisecond // 100 ticks a second, on every Linux
		}
	}
	return sum
}
