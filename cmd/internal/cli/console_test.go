package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What platforms that keep output can't store is never written.
func TestConsoleIsNarrow(t *testing.T) {
	var out, problems strings.Builder
	c := NewConsole("scrape", nil, &out, &problems)
	n, err := fmt.Fprint(c.Stdout, "a \U0001F3E0")
	require.NoError(t, err)
	assert.Equal(t, 6, n)
	c.Complain("b \U0001F3E0")
	assert.Equal(t, "a \ufffd", out.String())
	assert.Equal(t, "b \ufffd\n", problems.String())
}
