// Package postgrestest runs a PostgreSQL for tests on loopback, in its own folder and as a user other than root. It is gone when the
// tests end.
//
//	var server postgrestest.Server
//
//	func TestMain(m *testing.M) { code := m.Run(); server.Close(); os.Exit(code) }
//
//	func TestX(t *testing.T) { url := server.Schema(t) … }
package postgrestest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/multiscraper/multiscraper/scraperutils/leash"
)

// patience is how long a server may take to start, on a machine that has much else to do.
const patience = 90 * time.Second

// Server is a PostgreSQL that starts when a test first asks for it. The zero value is ready to use. Its methods may be called from any
// goroutine.
type Server struct {
	// Durable syncs each commit, as in production. It is for tests that end the server, and for measurements.
	Durable bool
	// Settings are lines of postgresql.conf.
	Settings []string
	// Like is another server, started if necessary, whose empty database is copied. Making a new database takes ten times as long.
	Like *Server

	schemas atomic.Int64

	mu     sync.Mutex // guards the rest
	bin    string
	folder string // "": it was never started
	port   int
	server *leash.Program // nil: stopped
	failed error          // why it did not start
}

// URL returns the server's URL, with a user who may do everything. It skips the test with -short, and if there is no PostgreSQL.
func (s *Server) URL(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a database server, which takes a second to start")
	}
	if s.Like != nil {
		s.Like.URL(t)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bin == "" {
		if s.bin = newest("/usr/lib/postgresql/*/bin"); s.bin == "" {
			t.Skip("PostgreSQL is missing: no /usr/lib/postgresql/*/bin")
		}
	}
	if s.folder == "" {
		if s.failed = s.prepare(); s.failed == nil {
			s.failed = s.firstStart()
		}
	} else if s.failed == nil && s.server == nil {
		s.failed = s.start()
	}
	if s.failed != nil {
		t.Fatalf("start PostgreSQL: %v", s.failed)
	}
	return fmt.Sprintf("postgres://tester:secret@127.0.0.1:%d/postgres", s.port)
}

// Schema creates an empty schema for the test and returns its URL.
func (s *Server) Schema(t testing.TB) string {
	t.Helper()
	url, name := s.URL(t), fmt.Sprint("test_", s.schemas.Add(1))
	s.Exec(t, "create schema "+name)
	return url + "?search_path=" + name
}

// Exec runs statements in the database that holds all schemas.
func (s *Server) Exec(t testing.TB, statements ...string) {
	t.Helper()
	Exec(t, s.URL(t), statements...)
}

// Exec runs statements at a URL.
func Exec(t testing.TB, url string, statements ...string) {
	t.Helper()
	ctx := context.Background() // a cleanup may call it
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }() // nothing depends on it
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// Stop ends the server as an administrator does to restart it: it cuts off connections. Start or URL starts it again, at the same
// address.
func (s *Server) Stop() { s.end("INT") }

// Kill ends the server as a crash would. If the server is Durable, what it has confirmed stays.
func (s *Server) Kill() { s.end("QUIT") }

func (s *Server) end(signal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server.End(signal)
	s.server = nil
}

// Start starts a server that was stopped.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		s.failed = s.start()
	}
	return s.failed
}

// CPU returns the CPU time that the server and its children have used so far, or 0 if the system does not say.
func (s *Server) CPU() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cpuOf(filepath.Join(s.folder, "data", "postmaster.pid"))
}

// Close ends the server and removes everything that it left.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server.End("QUIT")
	s.server = nil
	if s.folder != "" {
		_ = os.RemoveAll(s.folder)
		s.folder = ""
	}
}

// start starts the server and waits until it takes connections.
func (s *Server) start() error {
	said := &leash.Tail{}
	c := exec.Command(filepath.Join(s.bin, "postgres"), "-D", filepath.Join(s.folder, "data"))
	c.Dir, c.Stdout, c.Stderr, c.SysProcAttr = s.folder, said, said, asNobody()
	server, err := leash.Start(c, "QUIT")
	if err != nil {
		return err
	}
	for began := time.Now(); !s.answers(); time.Sleep(20 * time.Millisecond) {
		if server.Ended() || time.Since(began) > patience {
			server.End("QUIT")
			return fmt.Errorf("it does not answer after %v: %s", time.Since(began).Round(time.Second), said)
		}
	}
	s.server = server
	return nil
}

// answers reports whether the server lets somebody in.
func (s *Server) answers() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://tester:secret@127.0.0.1:%d/postgres", s.port))
	if err != nil {
		return false
	}
	_ = conn.Close(ctx) // it has answered
	return true
}
