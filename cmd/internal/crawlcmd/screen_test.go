package crawlcmd

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A trouble is shown by its word and its end: that is what is new to who reads the line.
func TestShortTrouble(t *testing.T) {
	for trouble, want := range map[string]string{
		"connect: dial tcp 127.0.0.1:80: connect: connection refused (GET http://127.0.0.1/?page=0)": "connect, connection refused",
		"dns: lookup a.example: no such host (GET http://a.example/)":                                "dns, no such host",
		"timeout": "timeout",
		"":        "",
	} {
		assert.Equal(t, want, shortTrouble(trouble))
	}
}

// What fails again and again is told once a minute, and what else fails beside it too; what is remembered does not grow.
func TestTroublesAreToldOnceAMinute(t *testing.T) {
	var told troubles
	now := time.Now()
	assert.True(t, told.news("the disk is full", now))
	assert.False(t, told.news("the disk is full", now.Add(5*time.Second)))
	assert.True(t, told.news("the broker is gone", now.Add(5*time.Second)))
	assert.False(t, told.news("the disk is full", now.Add(59*time.Second)))
	assert.True(t, told.news("the disk is full", now.Add(time.Minute)))
	for n := range 1000 {
		assert.True(t, told.news(fmt.Sprint(n), now))
	}
	assert.LessOrEqual(t, len(told.told), mostKnown)
}

// The panel's lines are cut off at the edge of the terminal, and what the log writes is not.
func TestPanelDoesNotWrap(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out)
	s.show([]string{"two\nlines \x1b[31m"})
	_, _ = s.Write([]byte("log\n"))
	s.close()
	assert.Equal(t, "\x1b[?7ltwo lines  [31m\n\x1b[?7h"+"\x1b[1A\r\x1b[Jlog\n\x1b[?7ltwo lines  [31m\n\x1b[?7h", out.String())
}
