package leash_test

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/leash"
)

// A program ends by the signal that it is told to end by, and what it said can be read.
func TestEnd(t *testing.T) {
	said := &leash.Tail{}
	c := exec.Command("/bin/sh", "-c", `trap "echo hung up; exit" HUP; echo ready; while :; do sleep 0.01; done`)
	c.Stdout = said
	p, err := leash.Start(c, "KILL")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return said.String() == "ready" }, 10*time.Second, time.Millisecond)
	assert.False(t, p.Ended())
	p.End("HUP")
	assert.True(t, p.Ended())
	assert.Equal(t, "ready\nhung up", said.String())
	p.End("HUP") // again is nothing
	(*leash.Program)(nil).End("KILL")
}

// A program that is not there is an end, not a wait.
func TestNoProgram(t *testing.T) {
	said := &leash.Tail{}
	c := exec.Command("/no/such/program")
	c.Stderr = said
	p, err := leash.Start(c, "KILL")
	require.NoError(t, err)
	require.Eventually(t, p.Ended, 10*time.Second, time.Millisecond)
	assert.Contains(t, said.String(), "/no/such/program")
}
