// Package amqptest runs a RabbitMQ for tests on loopback, with its own folder, ports, name, and cookie. It is gone when the tests end.
//
//	var broker amqptest.Broker
//
//	func TestMain(m *testing.M) { os.Exit(broker.Run(m)) }
//
//	func TestX(t *testing.T) { url := broker.URL(t) … }
package amqptest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/leash"
)

// patience is how long a broker may take to start, on a machine that has much else to do.
const patience = 3 * time.Minute

// Broker is a RabbitMQ that starts when a test first asks for it. The zero value is ready to use. Its methods may be called from any
// goroutine.
type Broker struct {
	mu       sync.Mutex // guards the rest
	folder   string     // "": it was never started
	port     int        // of AMQP
	ports    [2]int     // of the port mapper and of the distribution, which nobody needs and the broker does not start without
	shortcut *shortcut  // nil: the server finds what it is made of by itself
	mapper   *leash.Program
	server   *leash.Program // nil: stopped
	failed   error          // why it did not start
}

// URL returns the broker's URL, with a user who may do everything. It skips the test with -short, and if there is no rabbitmq-server.
func (b *Broker) URL(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a broker, which takes seconds to start")
	}
	program, err := serverPath()
	if err != nil {
		t.Skip("rabbitmq-server is missing")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.folder == "" {
		b.failed = b.prepare()
	}
	if b.failed == nil && b.server == nil {
		b.failed = b.start(program)
	}
	if b.failed != nil {
		t.Fatalf("start a broker: %v", b.failed)
	}
	return fmt.Sprintf("amqp://guest:guest@127.0.0.1:%d/", b.port)
}

// Kill ends the broker as a crash would. What the broker has confirmed stays. URL starts it again, at the same address.
func (b *Broker) Kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.server.End("KILL")
	b.server = nil
}

// Run runs the tests of a package, ends the broker, and returns the exit code. If anything of the broker is left, the code is not 0.
func (b *Broker) Run(m *testing.M) int {
	code := m.Run()
	if err := b.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "end a broker:", err)
		return max(code, 1)
	}
	return code
}

// Close ends the broker and removes everything that it left. The error says what could not be removed.
func (b *Broker) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.server.End("KILL")
	b.mapper.End("KILL")
	b.server, b.mapper = nil, nil
	if b.folder == "" {
		return nil
	}
	err := errors.Join(os.RemoveAll(b.folder), b.left())
	b.folder = ""
	return err
}

// left says what there is of a broker that has ended.
func (b *Broker) left() error {
	if b.answers() {
		return fmt.Errorf("something answers at port %d", b.port)
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return err
	}
	for _, p := range processes {
		if line, err := os.ReadFile(p); err == nil && bytes.Contains(line, []byte(b.folder)) {
			return fmt.Errorf("process %s still runs: %q", filepath.Base(filepath.Dir(p)), line)
		}
	}
	return nil
}

// serverPath finds the script that starts the server as whoever calls it: the one in the path of Debian wants to be root or rabbitmq.
func serverPath() (string, error) {
	const debian = "/usr/lib/rabbitmq/bin/rabbitmq-server"
	if _, err := os.Stat(debian); err == nil {
		return debian, nil
	}
	return exec.LookPath("rabbitmq-server")
}

// prepare makes the folder, finds free ports and starts the port mapper.
func (b *Broker) prepare() error {
	folder, err := os.MkdirTemp("", "amqptest")
	if err != nil {
		return err
	}
	b.folder = folder
	if b.port, b.ports[0], b.ports[1], err = freePorts(); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"plugins":  "[].\n",
		"env.conf": "",
		// As terms: for its other form, the server runs through a schema, which costs much of its start.
		"rabbitmq.config": fmt.Sprintf(`[{rabbit, [{tcp_listeners, [{"127.0.0.1", %d}]}, {disk_free_limit, 1000000}, {log, [{file, [{level, warning}]}]}]}].`, b.port),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if b.shortcut, err = link(folder); err != nil {
		return err
	}
	// In front, so that it ends with the tests; the broker would start one that stays.
	b.mapper, err = leash.Start(exec.Command("epmd", "-port", fmt.Sprint(b.ports[0]), "-address", "127.0.0.1"), "KILL")
	return err
}

// freePorts returns three ports that nobody uses.
func freePorts() (a, b, c int, err error) {
	var ports [3]int
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, 0, 0, err
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports[0], ports[1], ports[2], nil
}

// start starts the server and waits until it takes connections.
func (b *Broker) start(program string) error {
	in := func(name string) string { return filepath.Join(b.folder, name) }
	arguments := "-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none"
	if b.shortcut != nil {
		arguments += " -pa " + b.shortcut.modules
	}
	environment := append(os.Environ(),
		"HOME="+b.folder, // where its cookie is
		fmt.Sprintf("ERL_EPMD_PORT=%d", b.ports[0]),
		"ERL_EPMD_ADDRESS=127.0.0.1",
		"RUNNING_UNDER_SYSTEMD=true", // the script becomes the server, so that its process is the one to end
		"RABBITMQ_NODENAME=amqptest@localhost",
		"RABBITMQ_CONF_ENV_FILE="+in("env.conf"),
		"RABBITMQ_CONFIG_FILE="+in("rabbitmq.config"),
		"RABBITMQ_ADVANCED_CONFIG_FILE="+in("none"),
		"RABBITMQ_ENABLED_PLUGINS_FILE="+in("plugins"),
		"RABBITMQ_MNESIA_BASE="+in("data"),
		"RABBITMQ_LOG_BASE="+in("log"),
		fmt.Sprintf("RABBITMQ_DIST_PORT=%d", b.ports[1]),
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="+arguments,
	)
	if b.shortcut != nil {
		environment = append(environment, "RABBITMQ_PLUGINS_DIR="+b.shortcut.plugins)
	}
	said := &leash.Tail{}
	c := exec.Command(program)
	c.Env, c.Stdout, c.Stderr = environment, said, said
	server, err := leash.Start(c, "KILL")
	if err != nil {
		return err
	}
	for began := time.Now(); !b.answers(); time.Sleep(50 * time.Millisecond) {
		if server.Ended() || time.Since(began) > patience {
			server.End("KILL")
			return fmt.Errorf("it does not answer after %v: %s", time.Since(began).Round(time.Second), said)
		}
	}
	b.server = server
	return nil
}

// answers reports whether the broker greets a client of AMQP 0-9-1.
func (b *Broker) answers() bool {
	c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", b.port), time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(c, "AMQP\x00\x00\x09\x01"); err != nil {
		return false
	}
	var first [1]byte
	_, err = io.ReadFull(c, first[:])
	return err == nil && first[0] == 1 // a method's frame
}
