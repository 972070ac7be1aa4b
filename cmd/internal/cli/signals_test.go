package cli

import (
	"context"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// The first signal unwinds, a second one exits; what comes within a second of the first is its twin.
func TestObey(t *testing.T) {
	type at struct {
		after  time.Duration // the signal before
		signal syscall.Signal
	}
	for name, c := range map[string]struct {
		signals []at
		cause   syscall.Signal
		exit    int // 0: it has not exited
	}{
		"one":                             {[]at{{0, syscall.SIGTERM}}, syscall.SIGTERM, 0},
		"to the process and to its group": {[]at{{0, syscall.SIGTERM}, {0, syscall.SIGTERM}}, syscall.SIGTERM, 0},
		"a twin that is late":             {[]at{{0, syscall.SIGTERM}, {999 * time.Millisecond, syscall.SIGTERM}}, syscall.SIGTERM, 0},
		"another one beside it":           {[]at{{0, syscall.SIGTERM}, {time.Millisecond, syscall.SIGHUP}}, syscall.SIGTERM, 0},
		"a second one":                    {[]at{{0, syscall.SIGTERM}, {time.Second, syscall.SIGTERM}}, syscall.SIGTERM, 143},
		"a second one of another kind":    {[]at{{0, syscall.SIGTERM}, {time.Minute, syscall.SIGINT}}, syscall.SIGTERM, 130},
		"a terminal that closes":          {[]at{{0, syscall.SIGHUP}, {time.Hour, syscall.SIGHUP}}, syscall.SIGHUP, 129},
		"Ctrl-C that is held down": {
			[]at{{0, syscall.SIGINT}, {400 * time.Millisecond, syscall.SIGINT}, {400 * time.Millisecond, syscall.SIGINT}, {400 * time.Millisecond, syscall.SIGINT}},
			syscall.SIGINT, 130,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				signals, done, exited := make(chan os.Signal), make(chan struct{}), 0
				go obey(signals, new(hangups), done, cancel, func(code int) { exited = code })
				for _, s := range c.signals {
					time.Sleep(s.after)
					assert.Zero(t, exited)
					signals <- s.signal
					synctest.Wait()
				}
				close(done)
				assert.Equal(t, &SignalError{c.cause}, context.Cause(ctx))
				assert.Equal(t, c.exit, exited)
			})
		})
	}
}
