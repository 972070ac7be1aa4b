package family

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
)

// writePage writes a page into a file, as it is.
func writePage(path string, page *agent.Page) error {
	out, err := cli.Replace(path)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, page.Text)
	return out.Finish(err)
}

// confined begins a page that a browser shows: it is UTF-8 whatever it says of itself, runs nothing and asks for nothing.
const confined = "\ufeff" + `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'">` + "\n"

// openPage shows a page in the browser of the desktop. The file stays, for the browser reads it when it likes.
func openPage(c cli.Console, page *agent.Page) error {
	f, err := os.CreateTemp("", "scrape-page-*.html")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, confined+page.Text); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	fmt.Fprintln(c.Stdout, f.Name())
	for _, program := range []string{"xdg-open", "open"} { // of free desktops, of macOS
		if path, err := exec.LookPath(program); err == nil {
			return exec.Command(path, f.Name()).Run()
		}
	}
	return errors.New("no program that opens a browser is here (xdg-open): open the file yourself")
}
