package amqptest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Wire stands between a client and a broker, and knows where a frame of AMQP 0-9-1 ends. Its methods may be called from any goroutine.
type Wire struct {
	listener net.Listener
	target   string
	all      sync.WaitGroup

	mu     sync.Mutex // guards the rest
	thawed sync.Cond  // nothing is frozen any more
	open   map[net.Conn]net.Conn
	made   int
	frozen bool
	deaf   bool
	atAck  int // so many acknowledgments are lost with their connections
}

// NewWire starts a wire to the broker at a URL.
func NewWire(t testing.TB, broker string) *Wire {
	t.Helper()
	u, err := url.Parse(broker)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{listener: l, target: u.Host, open: map[net.Conn]net.Conn{}}
	w.thawed.L = &w.mu
	w.all.Go(w.serve)
	t.Cleanup(func() { _ = l.Close(); w.Freeze(false); w.Cut(); w.all.Wait() })
	return w
}

// URL returns the broker's URL through the wire.
func (w *Wire) URL() string { return "amqp://guest:guest@" + w.listener.Addr().String() + "/" }

// Connections returns how many connections were made.
func (w *Wire) Connections() int { w.mu.Lock(); defer w.mu.Unlock(); return w.made }

// Cut cuts all connections.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for client, broker := range w.open {
		_, _ = client.Close(), broker.Close()
	}
}

// Freeze stops all traffic in both directions, or lets it pass again. Connections stay open.
func (w *Wire) Freeze(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frozen = on
	w.thawed.Broadcast()
}

// Deafen swallows the messages that the broker delivers on the current connections, until these end.
func (w *Wire) Deafen() { w.mu.Lock(); defer w.mu.Unlock(); w.deaf = true }

// CutAtAcks cuts a connection instead of passing on a client's acknowledgment, n times.
func (w *Wire) CutAtAcks(n int) { w.mu.Lock(); defer w.mu.Unlock(); w.atAck = n }

// CloseChannels tells the clients that the broker has closed their channels because of an error.
func (w *Wire) CloseChannels() {
	const text = "INTERNAL_ERROR - test"
	method := []byte{0, 20, 0, 40, 541 >> 8, 541 & 255, byte(len(text))}
	method = append(append(method, text...), 0, 0, 0, 0)
	w.mu.Lock()
	defer w.mu.Unlock()
	for client := range w.open {
		_, _ = client.Write(frame(1, 1, method)) // whole: frames are written with the lock held
	}
}

func frame(kind byte, channel uint16, payload []byte) []byte {
	f := binary.BigEndian.AppendUint16([]byte{kind}, channel)
	f = binary.BigEndian.AppendUint32(f, uint32(len(payload)))
	return append(append(f, payload...), 0xce)
}

func (w *Wire) serve() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		broker, err := net.Dial("tcp", w.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		w.mu.Lock()
		w.open[client] = broker
		w.made++
		w.deaf = false
		w.mu.Unlock()
		w.all.Go(func() { w.toBroker(client, broker) })
		w.all.Go(func() { w.toClient(client, broker) })
	}
}

func (w *Wire) end(client, broker net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = client.Close(), broker.Close()
	delete(w.open, client)
}

// pass waits until something may pass.
func (w *Wire) pass() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.frozen {
		w.thawed.Wait()
	}
}

func (w *Wire) toBroker(client, broker net.Conn) {
	defer w.end(client, broker)
	if _, err := io.CopyN(broker, client, int64(len("AMQP0091"))); err != nil {
		return
	}
	for {
		f, err := readFrame(client)
		if err != nil {
			return
		}
		w.pass()
		w.mu.Lock()
		lost := w.atAck > 0 && isMethod(f, 60, 80)
		if lost {
			w.atAck--
		}
		w.mu.Unlock()
		if lost {
			return
		}
		if _, err := broker.Write(f); err != nil {
			return
		}
	}
}

func (w *Wire) toClient(client, broker net.Conn) {
	defer w.end(client, broker)
	swallowing := false // the frames of a message
	for {
		f, err := readFrame(broker)
		if err != nil {
			return
		}
		w.pass()
		w.mu.Lock()
		if f[0] == 1 {
			swallowing = w.deaf && isMethod(f, 60, 60)
		}
		if !swallowing || f[0] == 8 { // a heartbeat is of no message
			_, err = client.Write(f)
		}
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func readFrame(from io.Reader) ([]byte, error) {
	head := make([]byte, 7)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	f := append(head, make([]byte, int(binary.BigEndian.Uint32(head[3:]))+1)...)
	_, err := io.ReadFull(from, f[7:])
	return f, err
}

// isMethod reports whether a frame is a method, such as basic.deliver: 60, 60.
func isMethod(f []byte, class, method byte) bool {
	return f[0] == 1 && len(f) > 11 && f[7] == 0 && f[8] == class && f[9] == 0 && f[10] == method
}
