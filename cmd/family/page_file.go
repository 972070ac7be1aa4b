package family

import (
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
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

// confined is a page as a browser shows it: in a frame that runs nothing, asks for nothing and leads nowhere, whatever the page says.
func confined(page string) string {
	return `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">` +
		`<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block }</style>` +
		`<iframe sandbox srcdoc="` + html.EscapeString(page) + `"></iframe>` + "\n"
}

// openPage shows a page in the browser of the desktop. The file stays, for the browser reads it when it likes.
func openPage(c cli.Console, page *agent.Page) error {
	f, err := os.CreateTemp("", "scrape-page-*.html")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, confined(page.Text)); err != nil {
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
