package viewer

import (
	"bufio"
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// NewLines returns the lines of a file: at a prompt with history, editing and completion if it is a terminal, else as they are.
// screen is where the prompt stands.
func NewLines(in *os.File, screen io.Writer, prompt string, complete func(line string) string) Lines {
	if !term.IsTerminal(int(in.Fd())) {
		return &piped{bufio.NewScanner(in)}
	}
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, screen}, prompt)
	t.AutoCompleteCallback = func(line string, at int, key rune) (string, int, bool) {
		if key != '\t' || at != len(line) {
			return "", 0, false
		}
		line = complete(line)
		return line, len(line), true
	}
	return &typed{t, int(in.Fd()), screen}
}

// piped is lines of a script.
type piped struct{ *bufio.Scanner }

func (p *piped) ReadLine(context.Context) (string, error) {
	if p.Scan() {
		return p.Text(), nil
	}
	if err := p.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

// typed is lines that a person types. The terminal is raw only while one is read: an interrupt ends what a command waits for.
type typed struct {
	terminal *term.Terminal
	fd       int
	screen   io.Writer
}

func (t *typed) ReadLine(ctx context.Context) (string, error) {
	if width, height, err := term.GetSize(t.fd); err == nil && width > 0 {
		_ = t.terminal.SetSize(width, height) // it writes to the screen
	}
	before, err := term.MakeRaw(t.fd)
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(t.fd, before) }() // it may have gone
	type answer struct {
		line string
		err  error
	}
	read := make(chan answer, 1)
	go func() { // a read of a terminal can't be canceled: after a signal it is left to the end of the process
		line, err := t.terminal.ReadLine()
		read <- answer{line, err}
	}()
	select {
	case a := <-read:
		if a.err != nil {
			_, _ = io.WriteString(t.screen, "\r\n") // what comes next begins on a line of its own
		}
		return a.line, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
