package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/netutil"
)

// Limits of who asks a run.
const (
	headTime        = 10 * time.Second
	closingTime     = 2 * time.Second
	mostConnections = 1024 // at once; others wait until one ends
)

// Listener serves programs that watch a run.
type Listener struct {
	server *http.Server
	at     net.Addr
	served chan error
}

// Listen serves a handler that guards itself at an address. A request may take so long.
func Listen(address string, limit time.Duration, handler http.Handler) (*Listener, error) {
	socket, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	l := &Listener{
		server: &http.Server{Handler: handler, ReadHeaderTimeout: headTime, ReadTimeout: limit, WriteTimeout: limit, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10},
		at:     socket.Addr(),
		served: make(chan error, 1),
	}
	go func() { l.served <- l.server.Serve(netutil.LimitListener(socket, mostConnections)) }()
	return l, nil
}

// Address is where it listens.
func (l *Listener) Address() string { return l.at.String() }

// Close lets requests end for a while, and then ends them.
func (l *Listener) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closingTime)
	defer cancel()
	err := l.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = l.server.Close()
	}
	if e := <-l.served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// ListenAddress reads host:port.
func ListenAddress(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", err
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", errRange
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && host != "localhost" {
		return "", errRange
	}
	return s, nil
}

// OnLoopback reports whether nobody but this machine reaches an address.
func OnLoopback(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Token reads what callers must send.
func Token(s string) (string, error) {
	if len(s) < 16 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errRange
	}
	return s, nil
}
