package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// unwrapped returns the program that Debian's shell script starts, which would stay between it and us.
func unwrapped(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return path
	}
	defer f.Close()
	first := make([]byte, 2)
	if _, err := f.Read(first); err != nil || string(first) != "#!" {
		return path
	}
	if program, err := exec.LookPath(filepath.Join("/usr/lib/chromium", filepath.Base(path))); err == nil {
		return program
	}
	return path
}

// version is how a browser says what it is.
var version = regexp.MustCompile(`\b(\d+)\.\d+\.\d+\.\d+\b`)

// programVersion asks a browser for its version.
func programVersion(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	c := exec.CommandContext(ctx, path, "--version")
	c.WaitDelay = time.Second
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", path, err)
	}
	found := version.FindString(string(text))
	if found == "" {
		return "", fmt.Errorf("%s does not say its version as Chromium does", path)
	}
	return found, nil
}

// userAgent is what a browser of a version says of itself where it has windows.
func userAgent(of string) string {
	return fmt.Sprintf("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0 Safari/537.36", version.FindStringSubmatch(of)[1])
}
