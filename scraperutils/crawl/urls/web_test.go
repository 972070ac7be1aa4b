package urls_test

import (
	"bufio"
	"context"
	"encoding/json"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

var href = regexp.MustCompile(`<a href="([^"]*)"`)

// TestAgreesWithTheSyntheticWeb follows every link of a web that spells each of its URLs in a dozen ways: what is found is what the
// web's oracle names, no URL more or less.
func TestAgreesWithTheSyntheticWeb(t *testing.T) {
	address := serveWeb(t, "-seed", "41", "-hosts", "4", "-pages", "50", "-slow", "0s", "-traps=false")
	client := &http.Client{
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()

	front, err := urls.Form{}.Parse("http://h000.test")
	require.NoError(t, err)
	found := map[urls.URL]bool{front: true}
	for queue := []urls.URL{front}; len(queue) > 0; queue = queue[1:] {
		for _, link := range links(t, client, queue[0]) {
			base, err := urls.Form{}.Resolve(queue[0], "/b/")
			require.NoError(t, err)
			u, err := urls.Form{}.Resolve(base, link)
			if err == nil && !found[u] && strings.HasSuffix(u.Host().Name, ".test") && !strings.HasPrefix(u.Path(), "/private/") {
				found[u] = true
				queue = append(queue, u)
			}
		}
	}

	answer, err := client.Get("http://judge.invalid/-/oracle")
	require.NoError(t, err)
	defer answer.Body.Close()
	oracle := map[string]string{}
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&oracle))
	var wanted, got []string
	for u := range oracle {
		wanted = append(wanted, u)
	}
	for u := range found {
		got = append(got, u.String())
	}
	slices.Sort(wanted)
	slices.Sort(got)
	assert.Equal(t, wanted, got)
	assert.Greater(t, len(got), 150)
}

// links returns where a page leads.
func links(t *testing.T, client *http.Client, u urls.URL) (found []string) {
	t.Helper()
	for {
		answer, err := client.Get(u.String())
		require.NoError(t, err)
		page, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		switch {
		case answer.Header.Get("Retry-After") != "":
			continue // it answers the second time
		case answer.StatusCode/100 == 3:
			return []string{answer.Header.Get("Location")}
		case answer.StatusCode != 200 || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html"):
			return nil
		}
		for _, m := range href.FindAllStringSubmatch(string(page), -1) {
			found = append(found, html.UnescapeString(m[1]))
		}
		return found
	}
}

// serveWeb runs the web on loopback, until the test ends, and returns its address.
func serveWeb(t *testing.T, flags ...string) string {
	t.Helper()
	source, err := filepath.Abs("../../../../shared/web")
	require.NoError(t, err)
	if _, err := os.Stat(source); err != nil {
		t.Skip("the synthetic web is not here:", err)
	}
	binary := filepath.Join(t.TempDir(), "web")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, ".")
	build.Dir = source
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	web := exec.Command(binary, append(flags, "-listen", "127.0.0.1:0")...)
	says, err := web.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, web.Start())
	t.Cleanup(func() { web.Process.Kill(); web.Wait() })
	line, err := bufio.NewReader(says).ReadString('\n')
	require.NoError(t, err)
	_, address, found := strings.Cut(strings.TrimSpace(line), "listening on ")
	require.True(t, found, line)
	return address
}
