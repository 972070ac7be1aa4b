package family

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal returns a pseudo-terminal of a size: what a person sees, and what a program writes to.
func terminal(t *testing.T, columns, rows uint16) (seen, screen *os.File) {
	t.Helper()
	seen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here: " + err.Error())
	}
	t.Cleanup(func() { seen.Close() })
	unlocked := 0
	_, _, problem := syscall.Syscall(syscall.SYS_IOCTL, seen.Fd(), unix.TIOCSPTLCK, uintptr(unsafe.Pointer(&unlocked)))
	require.Zero(t, problem)
	number, err := unix.IoctlGetInt(int(seen.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}))
	return seen, screen
}

// A terminal ends with what is new, and with the table where that is asked for. What knows no cursor and no colors gets none.
func TestEndOnATerminal(t *testing.T) {
	t.Parallel()
	long(t)
	for _, c := range []struct {
		name            string
		env, args       []string
		has, has2, lack string
	}{
		{"colors", []string{"TERM=xterm"}, nil, "\x1b[32m1 ok\x1b[0m\x1b[2m · \x1b[0m\x1b[31m1 new failure\x1b[0m", " of 2 done · ", "Scraping Summary"},
		{"no colors", []string{"TERM=xterm", "NO_COLOR=1"}, nil, "\n1 ok · 1 new failure · ", " of 2 done · ", "\x1b[31m"},
		{"a dumb terminal", []string{"TERM=dumb"}, nil, "\n1 ok · 1 new failure · ", "INF done authority=kyogle verdict=ok", "\x1b"},
		{"the table", []string{"TERM=xterm"}, []string{"--table"}, "Scraping Summary:", " of 2 done · ", "1 new failure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			seen, screen := terminal(t, 80, 24)
			args := append(c.args, "--fixtures", "--attempts", "1", "--authority", "kyogle,noosa", "--misbehave", "noosa=layout", "--db", database(t))
			run := child(t, c.env, args...)
			run.Stdout, run.Stderr = screen, screen
			require.NoError(t, run.Start())
			require.NoError(t, screen.Close())
			var text bytes.Buffer
			_, _ = text.ReadFrom(seen) // it ends in an error when nobody has the terminal any more
			assert.Equal(t, 1, codeOfChild(t, run))
			printed := bytes.ReplaceAll(text.Bytes(), []byte("\r\n"), []byte("\n"))
			assert.Contains(t, string(printed), c.has)
			assert.Contains(t, string(printed), c.has2)
			assert.NotContains(t, string(printed), c.lack)
		})
	}
}

// The board has come off the screen when a run ends, and nothing of it is left below the log.
func TestBoardEnds(t *testing.T) {
	t.Parallel()
	long(t)
	seen, screen := terminal(t, 100, 30)
	run := child(t, []string{"TERM=xterm"}, "--fixtures", "--authority", "kyogle", "--db", database(t))
	run.Stdout, run.Stderr = screen, screen
	began := time.Now()
	require.NoError(t, run.Start())
	require.NoError(t, screen.Close())
	var text bytes.Buffer
	_, _ = text.ReadFrom(seen)
	assert.Equal(t, 0, codeOfChild(t, run))
	assert.Regexp(t, `\x1b\[\d+A\r\x1b\[J[^\x1b]*\x1b\[1mBuilt-in sites: the records are made up\.\x1b\[0m\r\n\x1b\[32m1 ok\x1b\[0m`, text.String())
	assert.Less(t, time.Since(began), time.Minute)
}
