package board

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// pulse is how often readers of events hear of the run.
const pulse = time.Second

// Now is the run as it goes, or the last one.
type Now struct {
	Run      string                 `json:"run"`
	Began    time.Time              `json:"began_at"`
	GoesOn   bool                   `json:"goes_on"`
	Seconds  float64                `json:"seconds"` // since it began, or that it took
	Done     int                    `json:"done"`
	Total    int                    `json:"total"`
	Records  int                    `json:"records"`
	Requests int                    `json:"requests"`
	Verdicts map[runlog.Verdict]int `json:"verdicts"`
	Bad      []Bad                  `json:"bad"`     // those that have failed, in the order of labels
	ToCome   []string               `json:"to_come"` // those without an outcome
}

// Bad is an authority of the run that has failed.
type Bad struct {
	Label   string             `json:"authority"`
	Page    string             `json:"page"`
	Verdict runlog.Verdict     `json:"verdict"`
	Class   scraperutils.Class `json:"failure_class"`
	Error   string             `json:"error"`
}

// nowOf returns the run of an overview.
func nowOf(o *report.Overview, at time.Time) Now {
	n := Now{
		Run: o.Run.ID, Began: o.Run.At, GoesOn: o.Run.Process != 0, Seconds: o.Run.Seconds,
		Records: o.Run.Records, Requests: o.Run.Requests, Verdicts: o.Run.Verdicts, Bad: []Bad{}, ToCome: []string{},
	}
	if n.GoesOn {
		n.Seconds = at.Sub(o.Run.At).Seconds()
	}
	n.ToCome = append(n.ToCome, o.Run.Unfinished...)
	for i := range o.Authorities {
		a := &o.Authorities[i]
		if !a.InRun {
			continue
		}
		n.Done++
		if a.Verdict.Bad() {
			n.Bad = append(n.Bad, Bad{a.Label, "/" + report.AuthorityFolder + "/" + report.PageName(a.Label), a.Verdict, a.Class, a.Error})
		}
	}
	n.Total = n.Done + len(n.ToCome)
	return n
}

//go:embed now.html
var nowText string

//go:embed now.js
var nowScript string

var nowTemplate = template.Must(template.New("now").Funcs(template.FuncMap{"count": scraperutils.Digits}).Parse(nowText))

// now shows the run as it goes. Without a script the page is loaded again every five seconds.
func (b *Board) now(w http.ResponseWriter, r *http.Request) {
	b.page(w, r, func(page *bytes.Buffer, o *report.Overview) error {
		sum := sha256.Sum256([]byte(nowScript))
		return nowTemplate.Execute(page, struct {
			Now
			Script template.JS
			Policy string
		}{nowOf(o, time.Now()), template.JS(nowScript),
			"default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"})
	})
}

// follow tells a reader of the run, once a second, until the reader leaves. What has not changed is not told again.
func (b *Board) follow(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a server's would end the events; some writers have none
	ticker := time.NewTicker(pulse)
	defer ticker.Stop()
	for told := ""; ; {
		event := b.event(r)
		if event == told {
			event = ": nothing new\n\n" // so that a reader who has left is noticed
		} else {
			told = event
		}
		// A server may allow a request less time than a run takes; one that reads nothing for so long is gone. Some writers have no deadline.
		_ = control.SetWriteDeadline(time.Now().Add(10 * pulse))
		if _, err := fmt.Fprint(w, event); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		}
	}
}

// event is the run as an event.
func (b *Board) event(r *http.Request) string {
	o, err := b.read(r.Context())
	switch {
	case errors.Is(err, report.ErrNoRun):
		return "event: none\ndata: {}\n\n"
	case err != nil:
		return ": the database can't be read now\n\n"
	}
	n := nowOf(o, time.Now())
	n.Seconds = float64(int(n.Seconds))
	text, err := json.Marshal(n)
	if err != nil { // numbers, texts, and lists of them can't fail
		return ": " + err.Error() + "\n\n"
	}
	return "event: now\ndata: " + string(text) + "\n\n"
}
