package crawlcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// addCommand adds URLs to a frontier.
type addCommand struct {
	frontierFlag
	given
}

// Run implements cli.Command.
func (a *addCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	if err := a.check(); err != nil {
		return cli.ExitUsage, err
	}
	if !a.any() {
		return cli.ExitUsage, errors.New("nothing to add: expected URLs, or -f FILE")
	}
	file, err := a.open()
	if err != nil {
		return cli.ExitUsage, err
	}
	f, err := s.frontier.join(ctx, false)
	if err != nil {
		return cli.ExitUsage, err
	}
	defer f.Close()
	complaints := complaints{console: c}
	sum, err := a.addAll(ctx, adder{frontier: f, form: s.rules.Form, refused: complaints.tell, taken: sayProgress(c)}, file)
	complaints.end()
	if sum.given() > sum.Refused {
		fmt.Fprintln(c.Stdout, sum)
	}
	var unread *inputError
	switch {
	case errors.As(err, &unread) && sum.given() == 0:
		return cli.ExitUsage, err
	case err != nil:
		return cli.ExitUnexpected, err
	case sum.given() == 0:
		return cli.ExitUsage, fmt.Errorf("%s holds no URL", a.source())
	case sum.given() == sum.Refused:
		return cli.ExitUsage, fmt.Errorf("nothing added: %s", scraperutils.Count(sum.Refused, "refused line", "refused lines"))
	}
	return cli.ExitOK, nil
}

// sayProgress says how far a large input is, every few seconds.
func sayProgress(c cli.Console) func(added) {
	next := time.Now().Add(5 * time.Second)
	return func(sum added) {
		if time.Now().Before(next) {
			return
		}
		next = time.Now().Add(5 * time.Second)
		fmt.Fprintf(c.Stdout, "%s so far …\n", sum)
	}
}
