package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// What is no frontier is refused and left as it was, in one line that says what to do and has no password.
func TestDatabasesThatAreNoFrontier(t *testing.T) {
	made := func(statements ...string) string {
		url := server.Schema(t)
		f, err := postgres.Open(t.Context(), url, postgres.Options{})
		require.NoError(t, err)
		require.NoError(t, f.Close())
		postgrestest.Exec(t, url, statements...)
		return url
	}
	foreign := server.Schema(t)
	postgrestest.Exec(t, foreign, "create table data (id int)", "create table hosts (name text)")
	namesake := server.Schema(t)
	postgrestest.Exec(t, namesake, "create table frontier (country text)")
	base := server.URL(t)
	reader := server.Schema(t)
	postgrestest.Exec(t, reader, "drop role if exists reader", "create role reader login password 'secret'")

	for name, c := range map[string]struct {
		url, want string
		schema    bool
	}{
		"another version":                {made("update frontier set version = 7"), "is a frontier of version 7, expected a frontier of version 2", true},
		"another program's":              {foreign, "is another program's database, expected a frontier", true},
		"another program's of that name": {namesake, "is a frontier without some of its tables, expected", true},
		"without a table":                {made("drop table totals"), "is a frontier without some of its tables, expected", true},
		"without its version":            {made("delete from frontier"), "is another program's database, expected", true},
		"a wrong password":               {strings.Replace(base, "secret", "sesame", 1), "the password is wrong, or there is no such user", false},
		"no such user":                   {strings.Replace(base, "tester", "nobody", 1), "the password is wrong, or there is no such user", false},
		"no such database":               {base + "x", "there is no such database", false},
		"no such schema":                 {base + "?search_path=none", "there is no such schema", false},
		"a schema of somebody else":      {strings.Replace(reader, "tester", "reader", 1), "there is no such schema", false},
		"no such port":                   {"postgres://tester:secret@127.0.0.1:1/postgres", "no PostgreSQL answers there", false},
		"no such host":                   {"postgres://tester:secret@none.invalid/postgres", "no PostgreSQL answers there", false},
		"no database named":              {"postgres://tester:secret@127.0.0.1:1", "expected postgres://user:password@host:port/database", false},
		"no URL":                         {"postgres://tester:secret@:x:/y", "expected postgres://user:password@host:port/database", false},
		"an option that is none":         {base + "?pool_max_conns=secret", "expected postgres://user:password@host:port/database", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, o := range []postgres.Options{{}, {Existing: true}} {
				_, err := postgres.Open(t.Context(), c.url, o)
				var wrong *crawl.SchemaError
				var refused *postgres.OpenError
				require.True(t, c.schema && errors.As(err, &wrong) || !c.schema && errors.As(err, &refused), "%T: %v", err, err)
				assert.ErrorContains(t, err, c.want)
				assert.NotContains(t, err.Error(), "\n")
				assert.NotContains(t, err.Error(), "secret")
				assert.NotContains(t, err.Error(), "sesame")
				assert.Less(t, len(err.Error()), 400)
			}
		})
	}

	empty := server.Schema(t)
	_, err := postgres.Open(t.Context(), empty, postgres.Options{Existing: true})
	assert.ErrorContains(t, err, "there is no frontier: crawl add URL… makes one")
	open(t, empty, postgres.Options{})
}

// Whoever comes first makes the frontier, and all can use it.
func TestOpenedBySeveralAtOnce(t *testing.T) {
	url := server.Schema(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			f, err := postgres.Open(t.Context(), url, postgres.Options{})
			if assert.NoError(t, err) {
				_, err := f.Add(t.Context(), time.Now(), entries("h", 3))
				assert.NoError(t, err)
				assert.NoError(t, f.Close())
			}
		})
	}
	all.Wait()
	f := open(t, url, postgres.Options{Existing: true})
	counts, err := f.Counts(t.Context(), time.Now())
	require.NoError(t, err)
	assert.Equal(t, crawl.Counts{Hosts: 1, Ready: 3, FailedBy: map[string]int{}}, counts)
}

// A frontier whose tables are taken away says so, for trying again is of no use.
func TestTablesTakenAway(t *testing.T) {
	url := server.Schema(t)
	f := open(t, url, postgres.Options{})
	postgrestest.Exec(t, url, "drop table hosts")
	_, err := f.Add(t.Context(), time.Now(), entries("h", 3))
	var wrong *crawl.SchemaError
	require.ErrorAs(t, err, &wrong)
	assert.ErrorContains(t, err, "no longer a frontier")
}

// A user whose rights are taken away is told so at once; one whose server is away is not, for it may come back.
func TestWhatIsTriedAgain(t *testing.T) {
	url := server.Schema(t)
	f := open(t, url, postgres.Options{Patience: 10 * time.Millisecond})
	for name, c := range map[string]struct {
		code      string
		permanent bool
	}{
		"a wrong password":   {"28P01", true},
		"a right that lacks": {"42501", true},
		"a shutdown":         {"57P01", false},
		"a start":            {"57P03", false},
		"a standby":          {"25006", false},
		"a full disk":        {"53100", false},
	} {
		postgrestest.Exec(t, url, "create or replace function fail() returns trigger language plpgsql as $$ begin raise sqlstate '"+c.code+"'; end $$",
			"drop trigger if exists fail on hosts", "create trigger fail before insert on hosts execute function fail()")
		_, err := f.Add(t.Context(), time.Now(), entries("h", 3))
		require.ErrorContains(t, err, "add to frontier postgres://tester@127.0.0.1:", name)
		var p interface{ Permanent() bool }
		require.ErrorAs(t, err, &p)
		assert.Equal(t, c.permanent, p.Permanent(), name)
	}
	postgrestest.Exec(t, url, "drop trigger fail on hosts")
	added, err := f.Add(t.Context(), time.Now(), entries("h", 3))
	require.NoError(t, err)
	assert.Equal(t, 3, added.New)
}

// Who waits for a server that is away goes when the context ends, or the frontier is closed.
func TestCancelledWhileTheServerIsAway(t *testing.T) {
	skipUnlessFull(t) // TestConnectionsThatBreak has a server that goes away for a moment
	t.Parallel()
	s := postgrestest.Server{Like: &server}
	defer s.Close()
	url := s.Schema(t)
	f := open(t, url, postgres.Options{})
	s.Stop()
	why := errors.New("no time for that")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, why)
	defer cancel()
	_, err := f.Add(ctx, time.Now(), entries("h", 3))
	require.ErrorIs(t, err, why)
	answer := make(chan error)
	go func() { _, err := f.Due(t.Context()); answer <- err }()
	select {
	case err := <-answer:
		require.Fail(t, "it does not wait", err)
	case <-time.After(100 * time.Millisecond):
	}
	require.NoError(t, f.Close())
	require.Error(t, <-answer)
	_, err = postgres.Open(t.Context(), url, postgres.Options{})
	assert.ErrorContains(t, err, "no PostgreSQL answers there", "at the start it is said at once")
}
