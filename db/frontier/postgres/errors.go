package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// OpenError says why a database can't be used, and what to do.
type OpenError struct {
	Name   string // of the database, without its password
	Advice string
	Err    error // what the server or the system said, or nil
}

func (e *OpenError) Error() string {
	s := "open frontier " + e.Name + ": " + e.Advice
	if e.Err != nil {
		s += " (" + oneLine(e.Err) + ")"
	}
	return s
}

func (e *OpenError) Unwrap() error { return e.Err }

// callError is why a call failed, in one line.
type callError struct{ error }

func (e *callError) Error() string { return oneLine(e.error) }
func (e *callError) Unwrap() error { return e.error }

// Permanent reports that trying again is of no use: the server does not know or does not let in who asks.
func (e *callError) Permanent() bool {
	code := codeOf(e.error)
	return refusals[code] != "" && code != readOnly // it may become the one that takes writes
}

// oneLine is what an error says, in one line: that of a connection has one for each address, with tabs.
func oneLine(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return fmt.Sprintf("%s: %s", strings.ToLower(server.Severity), strings.Join(strings.Fields(server.Message), " "))
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return network.Error()
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) && connect.Unwrap() != nil {
		err = connect.Unwrap()
	}
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' })
	return strings.Join(strings.Fields(lines[0]), " ")
}

// codeOf is the SQLSTATE of an error, or "".
func codeOf(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}

const readOnly = "25006"

// What a server refuses, and what to do about it.
var refusals = map[string]string{
	"28P01":  "the password is wrong, or there is no such user",
	"28000":  "the server does not let this user in from here: see its pg_hba.conf",
	"3D000":  "there is no such database: createdb makes one",
	"42501":  "this user may not make or change tables there: give it a schema of its own",
	"3F000":  "there is no such schema: create schema makes one",
	readOnly: "the server only reads: give the one that takes writes",
}

// explainOpen says in one line what to do about an error of opening.
func explainOpen(name string, err error) error {
	advice := refusals[codeOf(err)]
	var connect *pgconn.ConnectError
	switch {
	case advice != "":
	case errors.As(err, &connect):
		advice = "no PostgreSQL answers there"
	default:
		advice = "PostgreSQL refuses it"
	}
	return &OpenError{Name: name, Advice: advice, Err: err}
}

// Redacted returns a URL without its password, for people to read.
func Redacted(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" && u.RawQuery == "" {
		return "postgres://…"
	}
	name := u.Scheme + "://"
	if user := u.User.Username(); user != "" {
		name += user + "@"
	}
	name += u.Host + u.Path
	if schema := u.Query().Get("search_path"); schema != "" {
		name += "?search_path=" + schema
	}
	return name
}

// IsURL reports whether a text names a PostgreSQL database, validly or not.
func IsURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// Check returns what is wrong with a URL, as far as it can tell without asking the server.
func Check(text string) error {
	_, err := parse(text)
	return err
}

// parse reads a URL.
func parse(text string) (*pgxpool.Config, error) {
	const accepted = "expected postgres://user:password@host:port/database"
	u, err := url.Parse(text)
	if err != nil || !IsURL(text) || u.Path == "" || u.Path == "/" {
		return nil, &OpenError{Name: Redacted(text), Advice: accepted}
	}
	config, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, &OpenError{Name: Redacted(text), Advice: accepted} // what pgx says may hold the password
	}
	if !u.Query().Has("pool_max_conns") {
		config.MaxConns = calls
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "multiscraper"
	}
	config.AfterConnect = plan
	return config, nil
}

// plan has a connection plan for tables that grow: the plans of statements stay, and those of empty tables would read all of them.
func plan(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set jit = off")
	return err
}

// isForeign reports that a table or a column is not there any more.
func isForeign(err error) bool {
	code := codeOf(err)
	return code == "42P01" || code == "42703"
}

// isConflict reports that a transaction was in another one's way, and may be done again at once.
func isConflict(err error) bool {
	switch codeOf(err) {
	case "40001", "40P01", "23505":
		return true
	}
	return errors.Is(err, errMoved)
}

// isAway reports that the server is gone, or does not take connections now.
func isAway(err error) bool {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return !errors.Is(err, pgx.ErrNoRows) && !isOurs(err)
	}
	switch code := server.Code; code {
	case "57P01", "57P02", "57P03", "57P05", "53300", readOnly:
		return true
	default:
		return strings.HasPrefix(code, "08")
	}
}

// isOurs reports an error that neither the server nor the connection made.
func isOurs(err error) bool {
	var scan pgx.ScanArgError
	return errors.As(err, &scan)
}
