package family

import (
	"cmp"
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// Caller gets pages for a further command of a family: by the family's settings, and as politely as a run.
type Caller struct {
	family   *Family
	settings settings
	console  Console
}

// Caller reads the settings. Its error is theirs: nothing has run.
func (f Family) Caller(c Console) (*Caller, error) {
	whole, err := f.withDefaults()
	if err != nil {
		return nil, err
	}
	s, err := whole.readSettings(c, time.Now())
	return &Caller{whole, s, c}, err
}

// Call warns of what the settings make of it, and has do get pages by an agent, in its own goroutine. The label names that in errors.
// It returns do's error, or why that was ended early: a signal, or the run timeout.
func (c *Caller) Call(ctx context.Context, label string, do func(context.Context, *agent.Agent) error) error {
	c.settings.tell(c.console.Stdout)
	out := c.family.network(egress.Config{Settings: c.settings.network, ProxyWait: c.settings.runTimeout, Log: zerolog.Nop()})
	defer out.Close()
	return c.call(ctx, out, label, do)
}

func (c *Caller) call(ctx context.Context, out *egress.Network, label string, do func(context.Context, *agent.Agent) error) error {
	var nobody egress.Site // whoever it is: what holds for all
	out.ReachProxy(ctx, nobody)
	session, err := out.Open(nobody, nil)
	if err != nil {
		return err
	}
	loop := scheduler.New(scheduler.Config{Pacer: pace.New(c.settings.network.Pace), RunTimeout: c.settings.runTimeout})
	if err := loop.Register(label, func(ctx context.Context) error { return do(ctx, session.Agent) }); err != nil {
		return err
	}
	results, err := loop.Run(ctx)
	if err != nil {
		return err
	}
	return cmp.Or(results.Err, results.Operations[0].Err)
}
