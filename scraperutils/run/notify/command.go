package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// JSONVariable is where a command finds the name of the file that holds the message as JSON.
const JSONVariable = "SCRAPE_JSON"

// Command is a command line for the shell. It reads the message's text from standard input and finds its JSON in the file that
// SCRAPE_JSON names. A file, for a variable may hold no more than 128 KiB.
type Command struct{ Line string }

// ParseCommand reads a command line, which names a program.
func ParseCommand(s string) (Command, error) {
	if !strings.ContainsFunc(s, unicode.IsLetter) || strings.Contains(s, "\x00") {
		return Command{}, errors.New("it names no program")
	}
	return Command{s}, nil
}

// String names the command by its first word: others may be secrets.
func (c Command) String() string {
	word, _, _ := strings.Cut(strings.TrimSpace(c.Line), " ")
	return "the command " + filepath.Base(word)
}

// Send runs the command. It has accepted the message when it ends with 0; what it prints is part of the error otherwise.
func (c Command) Send(ctx context.Context, m Message) error {
	folder, err := os.MkdirTemp("", "scrape-notify-") // nobody else may read it
	if err != nil {
		return fmt.Errorf("%s: %w", c, err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "run.json")
	if err := os.WriteFile(path, m.JSON, 0o600); err != nil {
		return fmt.Errorf("%s: %w", c, err)
	}
	command := exec.CommandContext(ctx, "/bin/sh", "-c", c.Line)
	command.Env = append(os.Environ(), JSONVariable+"="+path)
	command.Stdin = strings.NewReader(m.Text)
	var said tail
	command.Stdout, command.Stderr = &said, &said
	command.WaitDelay = time.Second // for what it has started
	inGroup(command)
	err = command.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil: // it has ended well; what it left behind goes on
		return nil
	case ctx.Err() != nil:
		err = errors.New("it did not end in time")
	}
	return fmt.Errorf("%s: %w%s", c, err, said.text())
}

// inGroup gives a command a process group of its own, which ends with it when its time is over: its shell would leave its children
// behind, and an interrupt of the terminal is for this program.
func inGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

// tail keeps the end of what a command prints.
type tail struct{ kept []byte }

// mostSaid is how many bytes are kept.
const mostSaid = 500

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b[max(0, len(b)-mostSaid):]...)
	t.kept = t.kept[max(0, len(t.kept)-mostSaid):]
	return len(b), nil
}

func (t *tail) text() string {
	if said := strings.Join(strings.Fields(string(bytes.ToValidUTF8(t.kept, []byte("?")))), " "); said != "" {
		return ": " + said
	}
	return ""
}
