package family

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// A terminal has a bar, of each attempt its own, and the log above it.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen strings.Builder
		p := newProgress(cli.NewPrinter(&screen), nil, nil)
		defer p.close()
		p.terminal, p.usual["usual"] = true, 3*time.Minute
		shown := func() string {
			synctest.Wait()
			defer screen.Reset()
			text := screen.String()
			return strings.TrimSpace(text[strings.LastIndex(text, "\r")+1:])
		}
		p.setBar(3)
		assert.Contains(t, shown(), "(0/3)", "it is there at once")
		resting := scheduler.OperationStatus{State: scheduler.StateWaiting, Pages: 3, Records: 5, Wait: scraperutils.Wait{Until: time.Now().Add(90 * time.Second)}}
		p.show([]scheduler.OperationStatus{{State: scheduler.StateEnded, Pages: 1}, resting, {State: scheduler.StateRegistered}}, time.Minute)
		assert.Regexp(t, `^1 running, 1 waiting; 4 requests, 5 records, about 1m30s to go  33% \|█+ +\| \(1/3\)$`, shown())

		_, err := p.Write([]byte("a line \U0001F600\n"))
		require.NoError(t, err)
		synctest.Wait()
		assert.Contains(t, screen.String(), "a line \ufffd\n")
		assert.Contains(t, shown(), "(1/3)", "the bar is below it")

		p.setBar(1)
		p.show([]scheduler.OperationStatus{{Label: "usual", State: scheduler.StateRunning}}, time.Minute)
		assert.Regexp(t, `^1 running, 0 waiting; 0 requests, 0 records, about 2m0s to go   0% \| +\| \(0/1\)$`, shown())
		p.setBar(0)
		assert.Empty(t, shown())
	})
}
