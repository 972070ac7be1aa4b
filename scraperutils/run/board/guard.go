package board

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guard lets pass who may read, and only requests that read, and where something can be done here the forms that do it.
func guard(token string, acts bool, next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		forbidAll(w.Header())
		switch {
		case token != "" && !knows(r, token):
			w.Header().Set("WWW-Authenticate", `Basic realm="board", charset="UTF-8"`)
			http.Error(w, "the token is needed: as the password of any user, or as Authorization: Bearer …", http.StatusUnauthorized)
		case token == "" && !ofThisMachine(r.Host):
			http.Error(w, "expected a name of this machine, such as localhost or 127.0.0.1", http.StatusMisdirectedRequest)
		case crossOrigin.Check(r) != nil:
			http.Error(w, "a page of another site may not ask this", http.StatusForbidden)
		case r.ContentLength != 0 && !(acts && isForm(r)):
			http.Error(w, "no body is expected", http.StatusBadRequest)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// maxForm is how many bytes a form may have.
const maxForm = 4 << 10

// isForm reports whether a request is a small form that begins or stops a run.
func isForm(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == "/run" || r.URL.Path == "/stop") && r.ContentLength > 0 && r.ContentLength <= maxForm &&
		r.Header.Get("Content-Type") == "application/x-www-form-urlencoded"
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

// knows reports whether a request has the token: as a bearer's, or as the password that a browser has asked for.
func knows(r *http.Request, token string) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, given, ok = r.BasicAuth()
	}
	is, want := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(token))
	return ok && subtle.ConstantTimeCompare(is[:], want[:]) == 1
}

// ofThisMachine reports whether a Host header names this machine. A name of somebody else's that leads here would let pages of theirs read.
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
