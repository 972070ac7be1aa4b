package report_test

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// live is a run that a test moves on.
type live struct {
	mu sync.Mutex
	o  report.Overview // owned by mu
}

func (l *live) read(context.Context) (*report.Overview, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.o
	return &o, nil
}

func (l *live) now(change func(*report.Overview)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.o)
}

// A page that is open follows a run to its end, and its cause of a failure is two clicks away. What a site says is text.
func TestBoardIsFollowed(t *testing.T) {
	o, a, shown := sampleFailed(t)
	a.Error = `no table.grid in https://da.council.example/Common/Common/terms.aspx <img src=x onerror="document.title='broken'">`
	a.Past[len(a.Past)-1].Error = a.Error
	failed := *a
	running := *withTimelines(0, o)
	running.Run.Process, running.Run.Ended, running.Run.Unfinished = 4711, nil, []string{failed.Label, "hobart"}
	running.Authorities = nil
	run := &live{o: running}
	server := httptest.NewServer(board.New(board.Config{Read: run.read, Recordings: func(*report.Authority) report.Recordings { return report.Recordings{Failure: shown} }}))
	defer server.Close()
	w := newTab(t)
	defer w.open("<title>done</title>", "") // or the server would wait for its events
	w.visit(server.URL + "/now")
	until := func(script string) {
		t.Helper()
		var shown bool
		w.run(`new Promise((done) => {
			const look = () => (`+script+`) ? done(true) : setTimeout(look, 20);
			look();
		})`, &shown)
		assert.True(t, shown)
	}
	until(`document.getElementById("counts").textContent.startsWith("0 of 2 done, 0 failed")`)
	run.now(func(o *report.Overview) {
		o.Authorities, o.Run.Unfinished = []report.Authority{failed}, []string{"hobart"}
	})
	until(`document.querySelector("#bad li a") && document.getElementById("counts").textContent.startsWith("1 of 2 done, 1 failed")`)
	doc := w.document()
	assert.Contains(t, said(doc, "#bad"), "<img src=x")
	assert.Zero(t, doc.Find("img").Length())
	assert.Equal(t, "hobart", said(doc, "#tocome"))
	run.now(func(o *report.Overview) {
		o.Authorities = append(o.Authorities, report.Authority{Label: "hobart", InRun: true, Verdict: runlog.OK})
		o.Run.Process, o.Run.Unfinished = 0, nil
	})
	until(`document.getElementById("state").textContent === "No run goes on"`)

	follow := func(link string) {
		t.Helper()
		var to string
		w.run(`document.querySelector("`+link+`").href`, &to)
		w.visit(to)
	}
	follow("#bad a")
	assert.Contains(t, said(w.document(), ".exhibit[open] .missing"), "no table.grid in")
	follow(".kicker a")
	assert.Equal(t, 2, shownRows(w.document()).Length())
	follow(".kicker a")
	assert.Equal(t, "No run goes on", said(w.document(), "#state"))
	for _, width := range []int{390, 1280} {
		w.look(width, width == 390)
		w.visit(server.URL + "/now")
		var across int
		w.run("document.documentElement.scrollWidth", &across)
		assert.LessOrEqual(t, across, width)
	}
}
