package umbra

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/amqp"
)

// page is a message and what is done about it. It belongs to its goroutine but for what the ledger guards.
type page struct {
	key      [sha256.Size]byte
	url      string
	client   string
	since    time.Time
	delivery *amqp.Delivery // the latest; the ledger's
	phase    Phase          // the ledger's
	requests atomic.Int64
	stop     context.CancelCauseFunc
}

// take begins what is to be done about a message.
func (w *Worker) take(ctx context.Context, d *amqp.Delivery) {
	m, err := ParseMessage(d.Body)
	if err == nil {
		err = m.check(w.options.Key)
	}
	p := &page{key: keyOf(d.Body), since: time.Now(), delivery: d, phase: PhaseWaiting}
	if m != nil {
		p.url, p.client = m.URL, m.ClientID
	}
	ctx, p.stop = context.WithCancelCause(ctx)
	switch w.ledger.receive(p, time.Now()) {
	case isOpen:
		w.tally.joined.Add(1)
		p.stop(nil)
	case isDone:
		w.tally.known.Add(1)
		w.pages.Go(func() { defer p.stop(nil); w.settle(p) })
	case isNew:
		w.pages.Go(func() {
			defer p.stop(nil)
			if err != nil {
				w.bury(ctx, p, err)
				return
			}
			w.browse(ctx, p, m)
		})
	}
}

// browse has a page opened, and does what its end asks for.
func (w *Worker) browse(ctx context.Context, p *page, m *Message) {
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-ctx.Done():
		w.giveBack(p)
		return
	}
	batch := w.publisher.Batch()
	began := time.Now()
	outlinks, err := w.browser.Browse(ctx, Page{
		URL: m.URL, UserAgent: m.UserAgent, Username: m.Username, Password: m.Password, Parameters: m.Parameters, Outlinks: w.options.Outlinks,
		Begin: func() error {
			if !w.ledger.begin(p) {
				return ErrDrained
			}
			w.tally.begun.Add(1)
			return nil
		},
		OnRequest: func(r Request) { w.send(batch, p, m, r) },
	})
	done := PageDone{URL: m.URL, ClientID: m.ClientID, Requests: int(p.requests.Load()), Took: time.Since(began), Err: err}
	var final *FinalError
	switch {
	case errors.Is(err, ErrDrained), ctx.Err() != nil:
		batch.Drop()
		w.giveBack(p)
		return
	case err == nil:
		if w.options.Outlinks {
			for _, r := range Links(outlinks) {
				w.send(batch, p, m, r)
			}
		}
		done.Fate = FateDone
	case errors.As(err, &final), m.Retries >= mostTries-1:
		batch.Add(w.dead(w.body(p), err))
		done.Fate = FateDead
	default:
		again, e := w.again(w.body(p), m.Retries+1, err)
		if e != nil {
			again = w.dead(w.body(p), errors.Join(err, e))
		}
		batch.Add(again)
		done.Fate = FateRetry
	}
	w.finish(ctx, p, batch, done)
}

// finish waits until the broker has all that came of a message, and acknowledges it.
func (w *Worker) finish(ctx context.Context, p *page, batch *amqp.Batch, done PageDone) {
	w.ledger.enter(p, PhaseSending)
	if batch.Wait(ctx) != nil {
		w.giveBack(p)
		return
	}
	w.settle(p)
	w.tally.ended(done)
	w.options.OnPage(done)
}

// bury sends a message that can't be browsed to where such messages are.
func (w *Worker) bury(ctx context.Context, p *page, why error) {
	batch := w.publisher.Batch()
	batch.Add(w.dead(w.body(p), why))
	w.finish(ctx, p, batch, PageDone{Fate: FateDead, URL: p.url, ClientID: p.client, Err: why})
}

// send sends a client a request of its page.
func (w *Worker) send(to *amqp.Batch, p *page, m *Message, r Request) {
	if !Sent(r) {
		return
	}
	p.requests.Add(1)
	if m.ClientID == "" {
		return
	}
	body, err := m.Encode(r)
	if err != nil { // metadata that can be read can be written
		w.trouble(fmt.Errorf("encode a request of %s: %w", m.URL, err))
		return
	}
	w.tally.results.Add(1)
	to.Add(amqp.Message{Exchange: w.options.Exchange, Key: m.ClientID, Body: body, ContentType: "application/json", ContentEncoding: "utf-8"})
}

// body is a message as it came.
func (w *Worker) body(p *page) []byte { return w.ledger.delivery(p).Body }

// maxReason is how much of a reason is kept, in bytes.
const maxReason = 1000

// headerReason is where a message says why it is not in its first queue.
const headerReason = "x-reason"

func reasonOf(err error) string {
	s := strings.ReplaceAll(strings.ToValidUTF8(err.Error(), "\uFFFD"), "\n", "; ")
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "") + "…"
	}
	return s
}

// dead is the message that says that another one will never be done.
func (w *Worker) dead(body []byte, why error) amqp.Message {
	return amqp.Message{
		Key: w.options.deadQueue(), Body: body, ContentType: "application/json", ContentEncoding: "utf-8",
		Headers: map[string]any{headerReason: reasonOf(why)}, Needed: true,
	}
}

// again is the message that has a page tried once more.
func (w *Worker) again(body []byte, retries int, why error) (amqp.Message, error) {
	body, err := again(body, retries)
	return amqp.Message{
		Key: w.options.retryQueue(), Body: body, ContentType: "application/json", ContentEncoding: "utf-8",
		Headers: map[string]any{headerReason: reasonOf(why)}, Expires: w.options.pauseBefore(retries), Needed: true,
	}, err
}

// settle acknowledges a message, by the delivery that came last. Where that is lost the message is remembered.
func (w *Worker) settle(p *page) {
	w.ledger.enter(p, PhaseAcking)
	for {
		d := w.ledger.delivery(p)
		if d.Ack() == nil {
			w.ledger.close(p, true)
			return
		}
		if w.ledger.keep(p, d, time.Now()) {
			w.tally.lost.Add(1)
			return
		}
	}
}

// giveBack puts a message back into its queue. Where the connection is lost that happens by itself.
func (w *Worker) giveBack(p *page) {
	w.tally.returned.Add(1)
	_ = w.ledger.delivery(p).Requeue()
	w.ledger.close(p, false)
}
