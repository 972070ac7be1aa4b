package workers

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

//go:embed *.html *.css *.js
var files embed.FS

// policy lets a page have its own script and style, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// words are what pages say of times and numbers.
var words = template.FuncMap{
	"stamp": func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 MST") },
	"rate": func(w Worker, f status.Figure) string {
		if n := w.Rates[f.Name]; n > 0 {
			return fmt.Sprintf("%.1f per second", n)
		}
		return ""
	},
}

var pages = template.Must(template.New("").Funcs(words).ParseFS(files, "*.html"))

// shown is what templates get.
type shown struct {
	Name    string // of the command
	Workers []Worker
}

// Patterns are those of what Handler answers.
func Patterns() []string {
	return []string{"GET /workers", "GET /workers/list", "GET /workers/short", "GET /workers.css", "GET /workers.js"}
}

// Handler answers with the page of the workers, and with its parts alone. name is the command's, as titles have it. Its style
// builds on /live.css of the same server. It does not ask who calls: that is its caller's.
func (w *Watcher) Handler(name string) http.Handler {
	mux := http.NewServeMux()
	for path, part := range map[string]string{"/workers": "page.html", "/workers/list": "list", "/workers/short": "short"} {
		mux.HandleFunc("GET "+path, func(out http.ResponseWriter, _ *http.Request) { w.show(out, part, name) })
	}
	mux.Handle("GET /workers.css", http.FileServerFS(files))
	mux.Handle("GET /workers.js", http.FileServerFS(files))
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Security-Policy", policy)
		mux.ServeHTTP(out, r)
	})
}

func (w *Watcher) show(out http.ResponseWriter, part, name string) {
	var page bytes.Buffer
	if err := pages.ExecuteTemplate(&page, part, shown{name, w.Workers()}); err != nil {
		http.Error(out, "this page can't be shown", http.StatusInternalServerError)
		return
	}
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(out) // a reader that left needs no answer
}

// Section is a line for each worker, for another page of the same server, whose policy must allow its own scripts: that of Handler keeps
// it up to date.
func (w *Watcher) Section() template.HTML {
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, "section", shown{Workers: w.Workers()}); err != nil {
		return ""
	}
	return template.HTML(text.String()) // a template made it
}

// First is the figure that a worker names first, which says most; the zero value where there is none.
func (w Worker) First() (f status.Figure) {
	if len(w.Status.Figures) > 0 {
		f = w.Status.Figures[0]
	}
	return f
}
