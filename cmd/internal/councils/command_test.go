package councils

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/family"
)

// ended is what a command printed and returned.
type ended struct {
	code           int
	stdout, stderr string
}

// scrape runs a command line as main does, with an environment that holds env alone (NAME=value).
func scrape(t *testing.T, env []string, args ...string) ended {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := family.Run(Family(), args, env, &stdout, &stderr)
	return ended{code, stdout.String(), stderr.String()}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}
