package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Handler hands on the requests of those who may ask. With a token these are those who send it, as a bearer's or as the password that a
// browser has asked for. For "" nobody is asked for one, and only requests for a name of this machine pass: the server must listen on
// loopback. What a page of another site would change never passes.
//
// Answers of next keep headers that forbid a browser to show them within other pages, to guess what they are, or to keep them; next may
// set others in their place.
func Handler(token string, next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		forbidAll(w.Header())
		switch {
		case token != "" && !knows(r, token):
			w.Header().Set("WWW-Authenticate", `Basic realm="runs", charset="UTF-8"`)
			http.Error(w, "the token is needed: as the password of any user, or as Authorization: Bearer …", http.StatusUnauthorized)
		case token == "" && !ofThisMachine(r.Host):
			http.Error(w, "expected a name of this machine, such as localhost or 127.0.0.1", http.StatusMisdirectedRequest)
		case crossOrigin.Check(r) != nil:
			http.Error(w, "a page of another site may not ask this", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// forbidAll tells a browser what an answer may not do. The policy of a page itself says which script it has.
func forbidAll(h http.Header) {
	h.Set("Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
}

// knows reports whether a request has the token.
func knows(r *http.Request, token string) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, given, ok = r.BasicAuth()
	}
	is, want := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(token))
	return ok && subtle.ConstantTimeCompare(is[:], want[:]) == 1
}

// ofThisMachine reports whether a Host header names this machine.
func ofThisMachine(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}
