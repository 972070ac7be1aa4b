package umbra

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// python is an interpreter that has kombu, the library that clients of Umbra use.
func python(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(path, "-c", "import kombu").Run() == nil {
			return path
		}
	}
	t.Skip("python3-kombu is missing")
	return ""
}

func client(t *testing.T, python, what, url, exchange, key string, more ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, python, append([]string{"testdata/client.py", what, url, exchange, key}, more...)...)
	c.Stderr = os.Stderr
	return c
}

// Clients of Umbra that nobody has changed: one that sends and declares nothing, one that declares its queue and reads it, and a
// program that declares the queue of messages as Umbra does.
func TestClientsOfUmbra(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestAClientGetsWhatItsPageAskedFor has a client
	python := python(t)
	w := start(t, Options{})
	id := "client-" + strconv.Itoa(number(strings.TrimPrefix(w.options.Exchange, "umbra-")))
	require.NoError(t, client(t, python, "declare", w.options.URL, w.options.Exchange, w.options.Key).Run(), "the queue may be declared by others too")
	reader := client(t, python, "consume", w.options.URL, w.options.Exchange, id, "3")
	out, err := reader.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, reader.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, "ready", lines.Text())

	metadata := map[string]any{"pathFromSeed": "LL", "heritableData": map[string]any{"source": "http://seed.example/", "heritable": []any{"source"}}}
	payload, err := json.Marshal([]any{map[string]any{"url": "http://a.example/ok/ä", "clientId": id, "metadata": metadata}})
	require.NoError(t, err)
	writer := client(t, python, "produce", w.options.URL, w.options.Exchange, w.options.Key)
	writer.Stdin = strings.NewReader(string(payload))
	require.NoError(t, writer.Run())

	var got []map[string]any
	for lines.Scan() {
		var r map[string]any
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		got = append(got, r)
	}
	require.NoError(t, reader.Wait())
	result := func(url, method string, headers map[string]any, body ...any) map[string]any {
		r := map[string]any{"url": url, "method": method, "headers": headers, "parentUrl": "http://a.example/ok/ä", "parentUrlMetadata": metadata}
		if len(body) > 0 {
			r["postData"] = body[0]
		}
		return map[string]any{"kind": "dict", "body": r, "properties": map[string]any{"type": "application/json", "encoding": "utf-8", "mode": 2.0}}
	}
	assert.Equal(t, []map[string]any{
		result("http://a.example/ok/ä", "GET", map[string]any{"User-Agent": ""}),
		result("http://a.example/ok/ä?form", "POST", map[string]any{"Content-Type": "text/plain"}, "<ä>&"),
		result("http://a.example/ok/ä?beacon", "POST", map[string]any{}, "ÿ\x00"),
	}, got)
	w.settled(1)
	w.stop()
	w.empty()
}
