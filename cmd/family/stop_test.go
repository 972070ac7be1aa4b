package family

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// hanging is a site that calls a function for the first page and then never answers.
func hanging(t *testing.T, asked func()) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		asked()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// linked makes a database with records of a page.
func linked(t *testing.T, path, url string) {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	ledger := d.Ledger("data", "council_reference")
	for i := range 10 {
		require.NoError(t, ledger.Save(scraperutils.Record{{Name: "council_reference", Value: fmt.Sprint("DA/", i)}, {Name: "address", Value: fmt.Sprint(i, " Hill St, Lismore NSW 2480")}, {Name: "description", Value: fmt.Sprint("Construction of shed ", i)}, {Name: "info_url", Value: url}}))
	}
	require.NoError(t, ledger.Settle(t.Context()))
	require.NoError(t, d.Close())
}

// Each command that asks sites ends as a run does: with a code and a sentence that say why.
func TestStoppedCommands(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]func(url string) []string{
		"new": func(url string) []string { return []string{"new", "x", "--platform", "epathway", "--url", url} },
		"validate": func(url string) []string {
			path := database(t)
			linked(t, path, url)
			return []string{"validate", path}
		},
	} {
		for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
			t.Run(name+" "+signal.String(), func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				got := scrape(t, ctx, nil, args(hanging(t, func() { cancel(&cli.SignalError{Signal: signal}) }))...)
				assert.Equal(t, code, got.code)
				assert.Equal(t, "ERROR: stopped by a signal ("+signal.String()+")\n", got.stderr)
				assert.NotContains(t, got.stdout, "No record was found")
				assert.LessOrEqual(t, strings.Count(got.stdout, "Trying"), 1, "there is no time for another guess")
			})
		}
		t.Run(name+" timeout", func(t *testing.T) {
			got := scrape(t, t.Context(), []string{"MORPH_RUN_TIMEOUT=0.2"}, args(hanging(t, func() {}))...)
			assert.Equal(t, cli.ExitTimeout, got.code)
			assert.Equal(t, "ERROR: Script exceeded maximum allowed runtime of 0.2 seconds!\n", got.stderr)
			assert.NotContains(t, got.stdout, "No record was found")
		})
	}
}

// A signal ends the wait for a database that another program has locked.
func TestSignalWhileTheDatabaseIsLocked(t *testing.T) {
	t.Parallel()
	path := database(t)
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path).code)
	pool, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	defer pool.Close()
	other, err := pool.Conn(t.Context())
	require.NoError(t, err)
	defer other.Close()
	_, err = other.ExecContext(t.Context(), "BEGIN EXCLUSIVE")
	require.NoError(t, err)
	for name, args := range map[string][]string{
		"run":      {"--fixtures", "--authority", "kyogle", "--db", path},
		"list":     {"list", "--db", path},
		"report":   {"report", "--db", path},
		"validate": {"validate", path},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer time.AfterFunc(200*time.Millisecond, func() { cancel(&cli.SignalError{Signal: syscall.SIGTERM}) }).Stop() // by then it waits
			got := scrape(t, ctx, nil, args...)
			assert.Equal(t, ended{143, "", "ERROR: stopped by a signal (terminated)\n"}, got)
		})
	}
}

// A server that talks out of turn is nothing to tell of.
func TestStandardErrorStaysEmpty(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			defer connection.Close()
			_, _ = connection.Read(make([]byte, 4096))
			_, _ = connection.Write([]byte("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nnoand more than that"))
		}
	}()
	more := database(t) + ".yml"
	writeFile(t, more, "- {authority: chatty, platform: icon, url: 'http://"+listener.Addr().String()+"', period: thisweek}")
	got := runChild(t, []string{"MORPH_EXPECT_BAD=chatty"}, "--authorities", more, "--authority", "chatty", "--no-delay", "--attempts", "1", "--db", database(t))
	assert.Equal(t, cli.ExitOK, got.code, got.stdout)
	assert.Empty(t, got.stderr)
}
