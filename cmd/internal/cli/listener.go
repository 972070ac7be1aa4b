package cli

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Limits of who asks a run.
const (
	maxHead     = 16 << 10 // bytes
	headTime    = 10 * time.Second
	closingTime = 2 * time.Second
)

// Listener serves programs that watch a run. Its owner must close it.
type Listener struct {
	At net.Addr // where it listens

	server *http.Server
	served chan error
}

// Listen begins to serve a handler at host:port, to who sends the token, if that is not "". Most is how long a request may take.
func Listen(address, token string, most time.Duration, handler http.Handler) (*Listener, error) {
	socket, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	l := &Listener{
		At: socket.Addr(),
		server: &http.Server{
			Handler: authorized(token, local(handler)), ReadHeaderTimeout: headTime, ReadTimeout: most, WriteTimeout: most,
			IdleTimeout: time.Minute, MaxHeaderBytes: maxHead,
		},
		served: make(chan error, 1),
	}
	go func() { l.served <- l.server.Serve(socket) }()
	return l, nil
}

// local refuses what a page in somebody's browser sends, which reaches loopback as any program does.
func local(next http.Handler) http.Handler {
	return http.NewCrossOriginProtection().Handler(next)
}

// authorized asks for the token, if there is one.
func authorized(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token of --listen-token is needed: Authorization: Bearer …", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

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
