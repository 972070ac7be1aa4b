package crawlcmd

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
)

// stopCommand ends a running crawl.
type stopCommand struct {
	frontierFlag
	Wait time.Duration `default:"60s" placeholder:"TIME" help:"How long to wait until it has ended."`
}

// Run implements cli.Command. The worker is the process that holds the lock beside the frontier at this moment, so the signal reaches no
// other.
func (s *stopCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	given, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	pid := db.Holder(given.frontier)
	if pid <= 0 {
		fmt.Fprintf(c.Stdout, "no crawl works on %s\n", given.frontier)
		return cli.ExitOK, nil
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return cli.ExitUnexpected, fmt.Errorf("stop process %d: %w", pid, err)
	}
	limit := time.NewTimer(s.Wait)
	defer limit.Stop()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for db.Holder(given.frontier) == pid {
		select {
		case <-poll.C:
		case <-limit.C:
			return cli.ExitUnexpected, fmt.Errorf("process %d was told to end and has not after %s", pid, s.Wait)
		case <-ctx.Done():
			return cli.ExitUnexpected, context.Cause(ctx)
		}
	}
	fmt.Fprintf(c.Stdout, "process %d has ended: what was in flight is kept, what is left waits\n", pid)
	return cli.ExitOK, nil
}
