package cli

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// What fails again and again is told once a minute, and what else fails beside it too; what is remembered does not grow.
func TestTroublesAreToldOnceAMinute(t *testing.T) {
	var told Troubles
	now := time.Now()
	assert.True(t, told.News("the disk is full", now))
	assert.False(t, told.News("the disk is full", now.Add(5*time.Second)))
	assert.True(t, told.News("the broker is gone", now.Add(5*time.Second)))
	assert.False(t, told.News("the disk is full", now.Add(59*time.Second)))
	assert.True(t, told.News("the disk is full", now.Add(time.Minute)))
	for n := range 1000 {
		assert.True(t, told.News(fmt.Sprint(n), now))
	}
	assert.LessOrEqual(t, len(told.told), mostKnown)
}

// The panel's lines are cut off at the edge of the terminal, and what the log writes is not.
func TestPanelDoesNotWrap(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out)
	s.Show([]string{"two\nlines \x1b[31m"})
	_, _ = s.Write([]byte("log\n"))
	s.Close()
	assert.Equal(t, "\x1b[?7ltwo lines  [31m\n\x1b[?7h"+"\x1b[1A\r\x1b[Jlog\n\x1b[?7ltwo lines  [31m\n\x1b[?7h", out.String())
}
