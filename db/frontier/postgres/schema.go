package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// version is that of the tables.
const version = 2

var wanted = fmt.Sprintf("a frontier of version %d, or an empty schema", version)

// tables is the schema, in the order in which it is made: what marks it as a frontier comes last. Times are milliseconds since 1970,
// by the server's clock; intervals are milliseconds. The keys are hashes: names and URLs are compared. Texts are those of text.go.
var tables = []string{
	`create table hosts (
		id         bigint   primary key,
		bucket     smallint not null,            -- id modulo 64: what to spread an index on due by, where there are shards
		name       text     collate "C" not null,
		port       text     collate "C" not null,
		due        bigint,                       -- when it may be claimed; null: nothing to do
		not_before bigint   not null,            -- no request earlier
		interval   bigint   not null default 0,
		owner      text,                         -- who leases it, until due; null: nobody
		token      bigint   not null default 0,  -- of the last lease
		seed       boolean  not null default false, -- a URL of depth 0 was added
		levels     integer  not null default 0,  -- a bit for each priority that its URLs have had
		pending    bigint   not null default 0,
		retrying   bigint   not null default 0,  -- of those
		done       bigint   not null default 0,
		failed     bigint   not null default 0,
		rule       text     not null default '',
		trouble    text     not null default '',
		downs      integer  not null default 0)`, // times in a row that it could not be reached
	`create index hosts_due on hosts (due, id) where due is not null`,
	`create index hosts_leased on hosts (owner) where owner is not null`,
	`create table urls (
		host      bigint   not null,
		fp        bigint   not null,
		url       text     collate "C" not null,
		prio      smallint not null,
		due       bigint,                      -- null: finished
		state     smallint not null default 0, -- a place in states
		attempts  integer  not null default 0,
		visits    integer  not null default 0,
		redirects integer  not null default 0,
		depth     integer  not null default 0,
		series    integer  not null default 0,
		sitemap   boolean  not null default false,
		level     integer  not null default 0,
		status    integer  not null default 0,
		via       text     not null default '',
		id        text     not null default '', -- of the visit, where it was given
		etag      text     not null default '',
		modified  text     not null default '',
		digest    text     not null default '',
		reason    text     collate "C" not null default '',
		at        bigint,
		took      bigint   not null default 0,
		bytes     bigint   not null default 0,
		visited   bigint,                      -- when the last visit that is done was asked for
		added     bigint   not null,
		primary key (host, fp))`,
	`create index urls_due on urls (host, prio, due, fp) where due is not null`,
	`create index urls_failed on urls (host, fp) where state = 3`,
	// Of URLs that were read with a bound on depth. The times are since when the URL is nearer than its links say; null: it is not.
	`create table links (host bigint not null, fp bigint not null, packed bytea not null, nearer bigint, primary key (host, fp))`,
	`create index links_nearer on links (nearer, host, fp) where nearer is not null`,
	// How many URLs with a query a path has, of those that are added under such a bound. The hash of a path is not compared: two paths
	// that share one share the bound.
	`create table variants (host bigint not null, path bigint not null, n bigint not null, primary key (host, path))`,
	`create table traps (
		name    text   collate "C" not null,
		port    text   collate "C" not null,
		rule    text   collate "C" not null,
		n       bigint not null,
		example text   not null,               -- the first
		primary key (name, port, rule))`,
	// The sum of all slots counts: a transaction takes any of them, so that none waits for another.
	`create table totals (slot smallint not null, name text not null, n bigint not null, primary key (slot, name))`,
	`create table workers (
		name   text    primary key,
		since  bigint  not null,
		seen   bigint  not null,
		hosts  integer not null,
		done   bigint  not null,
		failed bigint  not null,
		stop   boolean not null default false)`,
	// The last commit of each opening and slot, for who has lost the connection before the answer.
	`create table marks (opened bigint not null, slot smallint not null, n bigint not null, at bigint not null, primary key (opened, slot))`,
	`create table frontier (version integer not null)`,
}

// names are those of tables.
var names = []string{"frontier", "hosts", "links", "marks", "totals", "traps", "urls", "variants", "workers"}

// states are those of urls.state.
var states = []crawl.State{crawl.StateReady, crawl.StateRetry, crawl.StateDone, crawl.StateFailed}

// prepare makes an empty schema a frontier. Where several do so at once, one of them does, and the others see it.
func (f *Frontier) prepare(ctx context.Context) (err error) {
	for pause := 10 * time.Millisecond; pause < 2*time.Second; pause *= 2 {
		if err = f.makeOrCheck(ctx); err == nil || !isRace(err) {
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	var wrong *crawl.SchemaError
	var refused *OpenError
	switch {
	case err == nil, errors.As(err, &wrong), errors.As(err, &refused):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return explainOpen(f.name, err)
}

// isRace reports that somebody else has made the tables meanwhile.
func isRace(err error) bool {
	switch codeOf(err) {
	case "23505", "42P07", "42P06", "42710", "40001", "40P01", "XX000": // the last: a catalog's row was updated concurrently
		return true
	}
	return false
}

func (f *Frontier) makeOrCheck(ctx context.Context) error {
	empty, err := f.check(ctx)
	if err != nil || !empty {
		return err
	}
	if f.options.Existing {
		return &OpenError{Name: f.name, Advice: "there is no frontier: crawl add URL… makes one"}
	}
	return pgx.BeginFunc(ctx, f.pool, func(t pgx.Tx) error {
		for _, statement := range tables {
			if _, err := t.Exec(ctx, statement); err != nil {
				return err
			}
		}
		_, err := t.Exec(ctx, "insert into frontier values ($1)", version)
		return err
	})
}

// check reports whether a schema has nothing in it.
func (f *Frontier) check(ctx context.Context) (empty bool, err error) {
	var schema *string
	var all, has int
	err = f.pool.QueryRow(ctx, `select current_schema(), count(table_name), count(table_name) filter (where table_name = any($1))
		from information_schema.tables where table_schema = current_schema()`, names).Scan(&schema, &all, &has)
	if err != nil {
		return false, err
	}
	wrong := &crawl.SchemaError{Name: f.name, Want: wanted}
	switch {
	case schema == nil:
		return false, &OpenError{Name: f.name, Advice: refusals["3F000"]}
	case all == 0:
		return true, nil
	case has != len(names) && has < all:
		wrong.Found = "another program's database"
		return false, wrong
	case has != len(names):
		wrong.Found = "a frontier without some of its tables"
		return false, wrong
	}
	var found int
	switch err = f.pool.QueryRow(ctx, "select version from frontier").Scan(&found); {
	case isForeign(err), errors.Is(err, pgx.ErrNoRows):
		wrong.Found = "another program's database"
		return false, wrong
	case err != nil:
		return false, err
	case found != version:
		wrong.Found = fmt.Sprintf("a frontier of version %d", found)
		return false, wrong
	}
	return false, nil
}
