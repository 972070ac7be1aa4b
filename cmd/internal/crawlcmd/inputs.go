package crawlcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/intake"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// given is the URLs that a command line gives: as arguments, in a file, on standard input.
type given struct {
	URLs     []string `arg:"" optional:"" name:"url" help:"URLs to fetch."`
	File     string   `short:"f" placeholder:"FILE" help:"Also add the URLs of this file, or of standard input with -: text, CSV, JSON, a sitemap, or a feed, gzipped or not."`
	Column   string   `placeholder:"NAME" help:"Read URLs from this column of a CSV file, or field of a JSON object (default: url or link)."`
	Priority int      `placeholder:"0-9" default:"0" help:"Give this priority to URLs that have none of their own; 0 goes first."`
	Again    bool     `help:"Fetch URLs again that are done or failed."`
}

func (g given) check() error {
	if g.Priority < 0 || g.Priority > 9 {
		return &scraperutils.ConfigError{Name: "--priority", Value: fmt.Sprint(g.Priority), Accepted: "a number from 0 to 9"}
	}
	if g.Column != "" && g.File == "" {
		return &scraperutils.ConfigError{Name: "--column", Value: g.Column, Accepted: "-f beside it"}
	}
	return g.checkURLs()
}

// checkURLs refuses a command line on which nothing is a URL: then it was meant in another way.
func (g given) checkURLs() error {
	var form urls.Form
	var problems []error
	for _, u := range g.URLs {
		if _, err := form.Parse(u); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) == 0 || len(problems) < len(g.URLs) || g.File != "" {
		return nil
	}
	return &startError{errors.Join(problems[:min(len(problems), 10)]...)}
}

// any reports whether something was given.
func (g given) any() bool { return len(g.URLs) > 0 || g.File != "" }

// open opens the file that was given, or returns nil where none was.
func (g given) open() (io.ReadCloser, error) {
	switch g.File {
	case "":
		return nil, nil
	case "-":
		return os.Stdin, nil
	}
	f, err := os.Open(g.File)
	if err != nil {
		return nil, &startError{err}
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, &startError{errors.Join(fmt.Errorf("-f %s: expected a file, is a folder", g.File), f.Close())}
	}
	return f, nil
}

// source is how the file is named in messages.
func (g given) source() string {
	if g.File == "-" {
		return "standard input"
	}
	return g.File
}

// maxComplaints is how many lines that are no URL are named, of all inputs of a command together.
const maxComplaints = 1000

// complaints names lines that are no URL on standard error. It belongs to one goroutine.
type complaints struct {
	console cli.Console
	n       int
}

func (c *complaints) tell(source string, err error) {
	if c.n++; c.n <= maxComplaints {
		c.console.Complain(fmt.Sprintf("%s: %s: %v", c.console.Name, source, err))
	}
}

// end tells how many lines were not named.
func (c *complaints) end() {
	if c.n > maxComplaints {
		c.console.Complain(fmt.Sprintf("%s: and %s more that are no URL", c.console.Name, scraperutils.Digits(c.n-maxComplaints)))
	}
}

// addAll adds what was given: arguments, then the file, which it closes. Where ctx ends first, the file is closed for whom still reads it.
func (g given) addAll(ctx context.Context, a adder, file io.ReadCloser) (sum added, err error) {
	a.options, a.again = intake.Options{Form: a.form, Column: g.Column, Priority: g.Priority}, g.Again
	if len(g.URLs) > 0 {
		if sum, err = a.list(ctx, "argument", g.URLs); err != nil {
			return sum, err
		}
	}
	if file == nil {
		return sum, nil
	}
	defer file.Close()
	before, tell := sum, a.taken
	if tell != nil {
		a.taken = func(n added) { tell(before.plus(n)) }
	}
	more, err := a.read(ctx, g.source(), file)
	return sum.plus(more), err
}

func (a added) plus(b added) added {
	a.New, a.Known, a.Again, a.Refused = a.New+b.New, a.Known+b.Known, a.Again+b.Again, a.Refused+b.Refused
	return a
}
