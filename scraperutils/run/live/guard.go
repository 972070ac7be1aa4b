package live

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
)

// Guard lets those in who may see a board. Where there is a password, they must give it, with any name. Where there is none, which is for
// loopback alone, the name that they asked for must be one of this machine: a page of another site could have its own name lead here. What
// changes anything must come from a page of the board.
func Guard(password string, next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case password == "" && !loopback(r.Host):
			http.Error(w, "this page is for names of this machine, such as localhost", http.StatusMisdirectedRequest)
		case password != "" && !knows(r, password):
			w.Header().Set("WWW-Authenticate", `Basic realm="runs", charset="UTF-8"`)
			http.Error(w, "the password is needed", http.StatusUnauthorized)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			next.ServeHTTP(w, r)
		}
	})
}

// maxForm is how many bytes a form may have.
const maxForm = 4 << 10

// knows reports whether a request has the password.
func knows(r *http.Request, password string) bool {
	_, given, ok := r.BasicAuth()
	return ok && subtle.ConstantTimeCompare([]byte(given), []byte(password)) == 1
}

// loopback reports whether a host, with or without a port, is this machine whatever the network says.
func loopback(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		host = hostPort
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// who is the one who asked.
func who(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if name, _, ok := r.BasicAuth(); ok && name != "" {
		return name + " at " + host
	}
	return host
}
