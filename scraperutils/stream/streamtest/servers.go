// Package streamtest runs servers of streams and tables for tests, on loopback, and ends them with the tests. They are kinesalite and
// kinesis-local for Kinesis, each of which shows what the other hides, and dynalite for DynamoDB.
//
//	var servers = streamtest.Servers{Names: []string{streamtest.Kinesalite}}
//
//	func TestMain(m *testing.M) { os.Exit(servers.Run(m)) }
//
//	func TestX(t *testing.T) { endpoint := servers.Endpoint(t, streamtest.Kinesalite) … }
package streamtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/leash"
)

// These are the names of servers.
const (
	Kinesalite   = "kinesalite"
	KinesisLocal = "kinesis-local"
	Dynalite     = "dynalite"
)

// patience is how long servers may take to start, on a machine that has much else to do.
const patience = 90 * time.Second

// Servers is one process with servers. It starts when a test first asks for it. Names must not change; the methods may be called from any
// goroutine.
type Servers struct {
	Names []string

	mu      sync.Mutex // guards the rest
	program *leash.Program
	ports   map[string]int
	failed  error
}

// Endpoint returns the endpoint of a server. It skips the test with -short, and if node or its packages are missing.
func (s *Servers) Endpoint(t testing.TB, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a server, which takes a second to start")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is missing")
	}
	folder := testdata()
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		t.Skip("npm ci was not run in scraperutils/stream/testdata")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.program == nil && s.failed == nil {
		s.failed = s.start(node, folder)
	}
	if s.failed != nil {
		t.Fatalf("start servers: %v", s.failed)
	}
	if s.ports[name] == 0 {
		t.Fatalf("there is no server %s", name)
	}
	credentials()
	return fmt.Sprintf("http://127.0.0.1:%d", s.ports[name])
}

// testdata is the folder of the servers.
func testdata() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "testdata")
}

// credentials gives this process, and those that it starts, some that no cloud knows.
func credentials() {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test-secret-key", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		_ = os.Setenv(name, value) // the names are good
	}
}

func (s *Servers) start(node, folder string) error {
	c := exec.Command(node, append([]string{filepath.Join(folder, "server.mjs")}, s.Names...)...)
	said := &leash.Tail{}
	read, write := io.Pipe()
	c.Stdout, c.Stderr = write, said
	program, err := leash.Start(c, "KILL")
	if err != nil {
		return err
	}
	s.program = program
	first := make(chan []byte, 1)
	go func() {
		out := bufio.NewReader(read)
		line, _ := out.ReadBytes('\n')
		first <- line
		_, _ = io.Copy(io.Discard, out)
	}()
	for end := time.After(patience); ; {
		select {
		case line := <-first:
			if err := json.Unmarshal(bytes.TrimSpace(line), &s.ports); err != nil {
				return fmt.Errorf("%w: %q %s", err, line, said)
			}
			return nil
		case <-end:
			return fmt.Errorf("nothing after %s: %s", patience, said)
		case <-time.After(50 * time.Millisecond):
			if program.Ended() {
				return fmt.Errorf("they have ended: %s", said)
			}
		}
	}
}

// Run runs the tests of a package, ends the servers, and returns the exit code.
func (s *Servers) Run(m *testing.M) int {
	code := m.Run()
	s.Close()
	return code
}

// Close ends the servers.
func (s *Servers) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.program.End("KILL")
	s.program = nil
}
