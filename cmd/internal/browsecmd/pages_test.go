package browsecmd

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/browser/umbra"
)

// closedPipe is a reader that has gone.
type closedPipe struct{ writes int }

func (c *closedPipe) Write([]byte) (int, error) {
	c.writes++
	return 0, errors.New("broken pipe")
}

// A reader that goes away is told of once, whatever was still to be printed.
func TestReaderThatGoesAway(t *testing.T) {
	pipe := &closedPipe{}
	p := &printing{out: pipe}
	for range 5 {
		p.print(umbra.Message{URL: "http://example.org/"}, umbra.Request{URL: "http://example.org/a", Method: "GET"})
	}
	assert.Equal(t, 1, pipe.writes)
	assert.EqualError(t, p.gone, "broken pipe")
	assert.NoError(t, p.failed)
}
