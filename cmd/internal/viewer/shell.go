package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/look"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent/actions"
)

// Lines is where a prompt reads its commands. The error is io.EOF at their end.
type Lines interface {
	ReadLine(ctx context.Context) (string, error)
}

// Shell is a prompt on the pages of a View. It belongs to one goroutine.
type Shell struct {
	View
	Agent *agent.Agent                              // fetches pages that are asked for
	Good  func() (*look.Tape, error)                // of the last good recording
	Keep  func(path string) error                   // writes what was exchanged as a recording
	Write func(path string, page *agent.Page) error // writes a page into a file
	Open  func(page *agent.Page) error              // shows it in a browser

	page  *agent.Page // that commands are about; nil: none yet
	forms []*agent.Form
	form  *agent.Form // that was set last, or nil
	back  []*agent.Page
}

// command is one that the prompt knows.
type command struct {
	name, argument, help string
	run                  func(s *Shell, ctx context.Context, argument string) error
	words                func(s *Shell) []string // that may be its argument, for completion; nil: none
}

// errQuit ends the prompt.
var errQuit = errors.New("quit")

// commands returns all commands, in the order of help. The first letters of one are enough.
func commands() []command {
	return []command{
		{"list", "", "list the exchanges of the recording", func(s *Shell, _ context.Context, _ string) error { s.List(); return nil }, nil},
		{"page", "[N]", "go to page N of the recording; describe the page", (*Shell).goTo, nil},
		{"select", "CSS", "show what a CSS selector finds", (*Shell).css, (*Shell).selectors},
		{"xpath", "EXPRESSION", "show what an XPath expression finds", (*Shell).xpath, nil},
		{"click", "TEXT", "follow the link with this text, or css:… or xpath:…", (*Shell).click, (*Shell).links},
		{"forms", "", "list the forms of the page with their fields", (*Shell).listForms, nil},
		{"set", "NAME VALUE", "fill in a field, or choose a button or box by its value", (*Shell).set, (*Shell).fields},
		{"submit", "[BUTTON]", "send the form that was filled in, or the first one", (*Shell).submit, (*Shell).buttons},
		{"get", "URL", "fetch an address, or a path of this site", (*Shell).get, nil},
		{"back", "", "go back to the page before", (*Shell).goBack, nil},
		{"diff", "", "compare the recording with the last good one", (*Shell).diff, nil},
		{"write", "FILE", "write the page into a file", (*Shell).write, nil},
		{"open", "", "show the page in a browser, without scripts and requests", func(s *Shell, _ context.Context, _ string) error { return s.onPage(s.Open) }, nil},
		{"save", "FILE", "save what was exchanged as a recording", func(s *Shell, _ context.Context, path string) error { return s.Keep(path) }, nil},
		{"help", "", "list the commands", func(s *Shell, _ context.Context, _ string) error { s.help(); return nil }, nil},
		{"quit", "", "end; so do Ctrl-D and the end of input", func(*Shell, context.Context, string) error { return errQuit }, nil},
	}
}

// find returns the command that a word means: by its name, or by letters with which it alone begins.
func find(word string) (command, error) {
	var found []command
	for _, c := range commands() {
		if c.name == word {
			return c, nil
		}
		if strings.HasPrefix(c.name, word) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return command{}, fmt.Errorf("no such command: %s; help lists them", word)
	}
	var names []string
	for _, c := range found {
		names = append(names, c.name)
	}
	return command{}, fmt.Errorf("%s may be %s", word, strings.Join(names, " or "))
}

// Run obeys commands until their end. What goes wrong with one is written and ends nothing; the error is that of reading, or ctx's.
func (s *Shell) Run(ctx context.Context, lines Lines) error {
	if e, ok := s.Tape.Last(); ok {
		s.show(must(e.Page()))
	}
	for {
		line, err := lines.ReadLine(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := s.obey(ctx, line); errors.Is(err, errQuit) {
			return nil
		} else if err != nil {
			fmt.Fprintln(s.Out, scraperutils.WithoutUser(err.Error()))
		}
	}
}

// must returns the page of an exchange that has one.
func must(p *agent.Page, _ error) *agent.Page { return p }

func (s *Shell) obey(ctx context.Context, line string) error {
	word, argument, _ := strings.Cut(strings.TrimSpace(line), " ")
	if word == "" {
		return nil
	}
	c, err := find(word)
	if err != nil {
		return err
	}
	argument = strings.TrimSpace(argument)
	if argument == "" && c.argument != "" && !strings.HasPrefix(c.argument, "[") {
		return fmt.Errorf("usage: %s %s", c.name, c.argument)
	}
	return c.run(s, ctx, argument)
}

func (s *Shell) help() {
	for _, c := range commands() {
		fmt.Fprintf(s.Out, "  %-17s %s\n", strings.TrimSpace(c.name+" "+c.argument), c.help)
	}
}

var errNoPage = errors.New("there is no page yet: page N, or get URL")

// onPage does something with the page.
func (s *Shell) onPage(do func(*agent.Page) error) error {
	if s.page == nil {
		return errNoPage
	}
	return do(s.page)
}

// show goes to a page and describes it.
func (s *Shell) show(p *agent.Page) {
	s.page, s.form = p, nil
	s.forms, _ = p.Forms() // none of what is no HTML
	s.outline("page", p)
}

// follow goes to a page that was fetched.
func (s *Shell) follow(p *agent.Page, err error) error {
	if err != nil {
		return err
	}
	if s.page != nil {
		s.back = append(s.back, s.page)
	}
	s.show(p)
	return nil
}

func (s *Shell) goBack(context.Context, string) error {
	if len(s.back) == 0 {
		return errors.New("there is no page before")
	}
	s.show(s.back[len(s.back)-1])
	s.back = s.back[:len(s.back)-1]
	return nil
}

func (s *Shell) goTo(_ context.Context, number string) error {
	if number == "" {
		return s.onPage(func(p *agent.Page) error { s.outline("page", p); return nil })
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return fmt.Errorf("page %q: expected a number of the list", number)
	}
	e, err := s.Tape.Number(n)
	if err != nil {
		return err
	}
	return s.follow(e.Page())
}

func (s *Shell) css(_ context.Context, selector string) error {
	return s.seek(look.Selector{CSS: selector})
}

func (s *Shell) xpath(_ context.Context, expression string) error {
	return s.seek(look.Selector{XPath: expression})
}

func (s *Shell) seek(by look.Selector) error {
	return s.onPage(func(p *agent.Page) error {
		all, err := look.Find(p, by)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.Out, scraperutils.Count(len(all), "match", "matches"))
		s.View.write(all)
		return nil
	})
}

func (s *Shell) click(ctx context.Context, text string) error {
	return s.onPage(func(p *agent.Page) error {
		return s.follow(actions.Click(ctx, p, text))
	})
}

func (s *Shell) get(ctx context.Context, address string) error {
	if s.page != nil {
		return s.follow(s.page.Get(ctx, address))
	}
	return s.follow(s.Agent.Get(ctx, address))
}

func (s *Shell) diff(context.Context, string) error {
	good, err := s.Good()
	if err != nil {
		return err
	}
	s.Differ(good)
	return nil
}

func (s *Shell) write(_ context.Context, path string) error {
	return s.onPage(func(p *agent.Page) error { return s.Write(path, p) })
}
