package live

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
)

// Times of a stream of events.
const (
	writeTime = 10 * time.Second // for one message
	pulse     = 15 * time.Second // between messages, so that both ends know the other is there
)

// live tells what changes, as server-sent events: first all that is known, then a line each, two a second at most, as a feed has them. A reader
// that is too slow is cut off, and its browser asks again.
func (h *handler) live(w http.ResponseWriter, r *http.Request) {
	first, subscription := h.Hub.Subscribe(r.PathValue("label"))
	defer h.Hub.Unsubscribe(subscription)
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // a server's would end the events; recorders of tests have none
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(before string, data []byte, after string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(writeTime)) // recorders of tests have none
		_, a := io.WriteString(w, before)
		_, b := w.Write(data) // the same for many readers
		_, c := io.WriteString(w, after)
		return errors.Join(a, b, c) == nil && out.Flush() == nil
	}
	// JSON has no line ends, so that nothing from outside begins another event.
	tell := func(event string, m *feed.Message) bool { return send("event: "+event+"\ndata: ", m.JSON(), "\n\n") }
	if !tell("picture", first) {
		return
	}
	pulses := time.NewTicker(pulse)
	defer pulses.Stop()
	for {
		select {
		case line, ok := <-subscription.Lines:
			if !ok || !tell("line", line) {
				return
			}
		case <-pulses.C:
			if !send(": still here\n\n", nil, "") {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
