package live

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
)

// Times of a stream of events.
const (
	writeTime = 10 * time.Second // for one message
	pulse     = 15 * time.Second // between messages, so that both ends know the other is there
)

// live tells what changes, as server-sent events: first all that is known, then a line each. A reader that is too slow is cut off, and
// its browser asks again.
func (h *handler) live(w http.ResponseWriter, r *http.Request) {
	label := r.PathValue("label")
	picture, subscription := h.Hub.Subscribe(label)
	defer h.Hub.Unsubscribe(subscription)
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // a server's would end the events; recorders of tests have none
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(writeTime)) // recorders of tests have none
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil
	}
	if !send(message("picture", h.known(picture, label))) {
		return
	}
	pulses := time.NewTicker(pulse)
	defer pulses.Stop()
	for {
		select {
		case line, ok := <-subscription.Lines:
			if !ok || !send(message("line", line)) {
				return
			}
		case <-pulses.C:
			if !send(": still here\n\n") {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// known is the first message: a line with all that is known.
func (h *handler) known(p feed.Picture, label string) feed.Line {
	line := feed.Line{Run: p.Run, Statuses: p.Statuses, End: p.End}
	if label != "" {
		line.Statuses = nil
		for _, s := range p.Statuses {
			if s.Label == label {
				line.Statuses = []feed.Status{s}
			}
		}
		line.Requests = h.Hub.Requests(label)
	}
	return line
}

// message is one event. JSON has no line ends, so that nothing from outside begins another.
func message(event string, line feed.Line) string {
	data, err := json.Marshal(line)
	if err != nil {
		data = []byte("{}") // a time that JSON lacks
	}
	return "event: " + event + "\ndata: " + string(data) + "\n\n"
}
