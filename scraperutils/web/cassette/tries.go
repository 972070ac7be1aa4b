package cassette

import "github.com/multiscraper/multiscraper/scraperutils"

// Try says that a request is sent now, for the first time or again. Of several tries the last counts: what the others were answered
// is superseded.
func (r *Recorder) Try(request *scraperutils.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trying == request {
		r.supersede()
	}
	r.trying, r.begun = request, r.number
}

// Failed says that a request came to nothing, after all its tries or without any, and with which error. It is recorded unless
// what was exchanged shows it by itself.
func (r *Recorder) Failed(request *scraperutils.Request, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	class := scraperutils.ClassOf(err)
	if r.showsItself(request, class) {
		return
	}
	if r.trying == request {
		r.supersede()
	}
	f := &Failure{
		Request: Request{Method: request.Method, URL: request.URL.String()},
		Class:   class,
		Message: err.Error(),
		At:      now(),
	}
	r.users = withUserOf(r.users, f.Request.URL)
	r.append(kept{failure: f, size: size{heads: exchangeSize + int64(len(f.Request.URL)+len(f.Message))}})
}

// showsItself reports whether a replay without the failure fails in the same way: by a robots.txt, or by answers that are there as
// a whole. The mutex is held.
func (r *Recorder) showsItself(request *scraperutils.Request, class scraperutils.Class) bool {
	switch class {
	case scraperutils.ClassRobots:
		return true
	case scraperutils.ClassDNS, scraperutils.ClassConnect, scraperutils.ClassTLS, scraperutils.ClassTimeout, scraperutils.ClassProtocol, scraperutils.ClassRunTimeout:
		return false
	}
	if r.trying != request || len(r.kept) == 0 {
		return false
	}
	last := &r.kept[len(r.kept)-1]
	return last.number >= r.begun && last.Response.Body.Cut == Whole
}

// supersede marks the exchanges of the last try. The mutex is held.
func (r *Recorder) supersede() {
	for i := len(r.kept) - 1; i >= 0 && r.kept[i].number >= r.begun; i-- {
		r.kept[i].Superseded = true
	}
}
