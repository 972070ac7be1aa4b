package amqptest

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestABrokerLeavesNothingBehind(t *testing.T) {
	var b Broker
	defer b.Close()
	url := b.URL(t)
	began := time.Now()
	assert.Equal(t, url, b.URL(t))
	b.Kill()
	assert.False(t, b.answers())
	assert.Equal(t, url, b.URL(t))
	t.Logf("started again in %v", time.Since(began))
	folder := b.folder
	b.Close()
	assert.NoDirExists(t, folder)
	out, err := exec.Command("ps", "-eo", "args").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		assert.NotContains(t, line, folder)
	}
}
