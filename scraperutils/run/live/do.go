package live

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"time"
)

// run begins a run of what the form names.
func (h *handler) run(w http.ResponseWriter, r *http.Request) {
	which, label := r.PostFormValue("which"), r.PostFormValue("label")
	if (which == "") == (label == "") || which != "" && which != "all" && which != "failed" {
		http.Error(w, "expected which=all, which=failed or a label", http.StatusBadRequest)
		return
	}
	h.act(w, r, "run", cmp.Or(which, label), func() error { return h.Runner.Begin(Which{Label: label, Failed: which == "failed"}) })
}

// stop ends the run, or one site of it.
func (h *handler) stop(w http.ResponseWriter, r *http.Request) {
	which, label := r.PostFormValue("which"), r.PostFormValue("label")
	if (which == "all") == (label != "") {
		http.Error(w, "expected which=all or a label", http.StatusBadRequest)
		return
	}
	h.act(w, r, "stop", cmp.Or(label, which), func() error { return h.Runner.Stop(label) })
}

// act does what was asked for, writes down who asked, and leads back to the page that shows what came of it.
func (h *handler) act(w http.ResponseWriter, r *http.Request, what, of string, do func() error) {
	if h.Runner == nil {
		http.Error(w, "runs are not begun here", http.StatusNotFound)
		return
	}
	action := Action{At: time.Now(), Who: who(r), What: what, Of: of}
	err := do()
	if err != nil {
		action.Err = err.Error()
	}
	if h.Acted != nil {
		h.Acted(action)
	}
	switch {
	case errors.Is(err, ErrRunning), errors.Is(err, ErrIdle):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		http.Redirect(w, r, "/now", http.StatusSeeOther)
	}
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
