package board

import "net/http"

// bodies lets requests pass that have none, and where something can be done here the forms that do it.
func bodies(acts bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 && !(acts && isForm(r)) {
			http.Error(w, "no body is expected", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// maxForm is how many bytes a form may have.
const maxForm = 4 << 10

// isForm reports whether a request is a small form that begins or stops a run.
func isForm(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == "/run" || r.URL.Path == "/stop") && r.ContentLength > 0 && r.ContentLength <= maxForm &&
		r.Header.Get("Content-Type") == "application/x-www-form-urlencoded"
}
