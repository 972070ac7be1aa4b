package amqptest

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestABrokerLeavesNothingBehind(t *testing.T) {
	var b Broker
	defer b.Close()
	url := b.URL(t)
	assert.Equal(t, url, b.URL(t), "it starts once")
	assert.True(t, b.answers())
	folder := b.folder
	b.Close()
	assert.False(t, b.answers())
	assert.NoDirExists(t, folder)
	out, err := exec.Command("ps", "-eo", "args").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		assert.NotContains(t, line, folder)
	}
}
