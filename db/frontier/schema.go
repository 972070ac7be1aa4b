package frontier

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// What marks a file as a frontier.
const (
	applicationID = 0x4d736672 // "Msfr"
	version       = 3
)

// tables is the schema. Times are milliseconds since 1970, intervals milliseconds. The keys are hashes: names and URLs are compared.
var tables = []string{
	`create table hosts (
		id         integer primary key,
		bucket     integer not null,            -- id modulo 64
		name       text    not null,
		port       text    not null,
		due        bigint,                      -- when it may be claimed; null: nothing to do
		not_before bigint  not null,            -- no request earlier
		interval   bigint  not null default 0,
		owner      text,                        -- who leases it, until due; null: nobody
		token      bigint  not null default 0,  -- of the last lease
		seed       boolean not null default 0,  -- a URL of depth 0 was added
		levels     integer not null default 0,  -- a bit for each priority that its URLs have had
		pending    bigint  not null default 0,
		retrying   bigint  not null default 0,  -- of those
		done       bigint  not null default 0,
		failed     bigint  not null default 0,
		rule       text    not null default '',
		trouble    text    not null default '',
		downs      integer not null default 0)`, // times in a row that it could not be reached
	`create index hosts_due on hosts (due, id, pending) where due is not null`, // pending for Counts
	`create index hosts_leased on hosts (owner) where owner is not null`,
	`create table urls (
		host      bigint  not null,
		fp        bigint  not null,
		url       text    not null,
		prio      integer not null,
		due       bigint,                     -- null: finished
		state     integer not null default 0, -- a place in states
		attempts  integer not null default 0,
		visits    integer not null default 0,
		redirects integer not null default 0,
		depth     integer not null default 0,
		series    integer not null default 0,
		sitemap   boolean not null default 0,
		level     integer not null default 0,
		status    integer not null default 0,
		via       text    not null default '',
		id        text    not null default '', -- of the visit, where it was given
		etag      text    not null default '',
		modified  text    not null default '',
		digest    text    not null default '',
		reason    text    not null default '',
		at        bigint,
		took      bigint  not null default 0,
		bytes     bigint  not null default 0,
		visited   bigint,                     -- when the last visit that is done was asked for
		added     bigint  not null,
		primary key (host, fp)) without rowid`,
	`create index urls_due on urls (host, prio, due) where due is not null`,
	`create index urls_failed on urls (host, fp) where state = 3`,
	`create table links (                         -- of URLs, where they were read with a bound on depth
		host   bigint  not null,
		fp     bigint  not null,
		packed blob    not null,              -- crawl.Links
		nearer bigint,                        -- since when the URL is nearer than they say; null: it is not
		primary key (host, fp)) without rowid`,
	`create index links_nearer on links (nearer, host, fp) where nearer is not null`,
	`create table variants (                      -- of paths whose URLs are added under such a bound
		host bigint not null,
		path bigint not null,                 -- a hash, which is not compared: two paths that share one share the bound
		n    bigint not null,                 -- URLs with a query
		primary key (host, path)) without rowid`,
	`create table traps (
		name    text   not null,
		port    text   not null,
		rule    text   not null,
		n       bigint not null,
		example text   not null,              -- the first
		primary key (name, port, rule)) without rowid`,
	`create table workers (
		name   text    not null primary key,
		since  bigint  not null,
		seen   bigint  not null,
		hosts  integer not null,
		done   bigint  not null,
		failed bigint  not null,
		stop   boolean not null default 0) without rowid`,
	`create table totals (name text primary key, n bigint not null) without rowid`,
}

// states are those of urls.state.
var states = []crawl.State{crawl.StateReady, crawl.StateRetry, crawl.StateDone, crawl.StateFailed}

// prepare makes a new file a frontier, or returns a *crawl.SchemaError where it is something else already.
func prepare(conn *sql.Conn, path string) error {
	empty, err := check(conn, path)
	if err != nil {
		return err
	}
	if err := run(conn, "PRAGMA journal_mode = WAL"); err != nil || !empty {
		return err
	}
	if err := run(conn, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if empty, err = check(conn, path); empty && err == nil { // another process may have been first
		err = create(conn)
	}
	if err != nil {
		return errors.Join(err, run(conn, "ROLLBACK"))
	}
	return run(conn, "COMMIT")
}

func create(conn *sql.Conn) error {
	for _, statement := range append(tables, fmt.Sprintf("PRAGMA application_id = %d", applicationID), fmt.Sprintf("PRAGMA user_version = %d", version)) {
		if err := run(conn, statement); err != nil {
			return err
		}
	}
	return nil
}

// check reports whether a file has nothing in it.
func check(conn *sql.Conn, path string) (empty bool, err error) {
	var application, found, has, all int
	row := conn.QueryRowContext(context.Background(), `select (select application_id from pragma_application_id),
		(select user_version from pragma_user_version),
		(select count(*) from sqlite_schema where name in ('hosts', 'hosts_due', 'hosts_leased', 'urls', 'urls_due', 'urls_failed', 'links', 'links_nearer', 'variants', 'traps', 'workers', 'totals')),
		(select count(*) from sqlite_schema)`)
	if err := row.Scan(&application, &found, &has, &all); err != nil {
		return false, schemaError(path, err)
	}
	wrong := &crawl.SchemaError{Name: path, Want: fmt.Sprintf("a frontier of version %d", version)}
	switch {
	case application == 0 && found == 0 && all == 0:
		return true, nil
	case application != applicationID:
		wrong.Found = "another program's database"
	case found != version:
		wrong.Found = fmt.Sprintf("a frontier of version %d", found)
	case has != len(tables):
		wrong.Found = "a frontier without some of its tables"
	default:
		return false, nil
	}
	return false, wrong
}

// schemaError returns an error that says so where a file is damaged.
func schemaError(path string, err error) error {
	if db.IsDamaged(err) {
		return &crawl.SchemaError{Name: path, Found: fmt.Sprintf("damaged or no database (%v)", err), Want: fmt.Sprintf("a frontier of version %d", version)}
	}
	return err
}

// run runs a statement to its end.
func run(conn *sql.Conn, statement string) error {
	_, err := conn.ExecContext(context.Background(), statement)
	return err
}
