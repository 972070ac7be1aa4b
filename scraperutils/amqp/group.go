package amqp

import (
	"errors"
	"fmt"
	"time"

	"github.com/rabbitmq/amqp091-go"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/jsonl"
)

// group is one way of pages to the broker, on one link.
type group struct {
	sink    *Sink
	link    *link
	silence *time.Timer // ends the link when the broker has said nothing for too long
	flight  []flying    // without an answer yet
	nowhere int
	refused int
}

type flying struct {
	id   string
	done *amqp091.DeferredConfirmation
}

// send publishes a page.
func (g *group) send(p *crawl.Page) error {
	body, err := jsonl.Append(nil, p)
	if err != nil {
		return fmt.Errorf("encode %s: %w", p.URL, err)
	}
	done, err := g.link.channel.PublishWithDeferredConfirm(g.sink.options.Exchange, g.sink.options.Key, true, false, amqp091.Publishing{
		ContentType: "application/json", DeliveryMode: amqp091.Persistent, MessageId: p.ID, Timestamp: p.At, Body: body,
	})
	if err != nil {
		g.link.cut()
		return g.lost()
	}
	g.silence.Reset(g.sink.options.Timeout)
	g.flight = append(g.flight, flying{p.ID, done})
	return nil
}

// land waits for the answer to each page in flight. A page that no queue takes is returned first, and confirmed after that.
func (g *group) land() error {
	for _, f := range g.flight {
		select {
		case <-f.done.Done():
			g.silence.Reset(g.sink.options.Timeout)
		case <-g.link.over:
		}
	}
	nowhere := map[string]bool{}
	for len(g.link.returns) > 0 {
		r := <-g.link.returns
		nowhere[r.MessageId] = true
	}
	for _, f := range g.flight {
		switch {
		case nowhere[f.id]:
			g.nowhere++
		case f.done.Acked():
			g.sink.confirmed[f.id] = true
		case g.link.alive():
			g.refused++
		}
	}
	g.flight = g.flight[:0]
	if !g.link.alive() {
		return g.lost()
	}
	return nil
}

// lost is why the link has ended.
func (g *group) lost() error {
	return fmt.Errorf("connection to broker %s is lost: %w", g.sink.address, g.link.why())
}

// verdict is the error of pages that arrived and were not taken.
func (g *group) verdict() error {
	var errs []error
	if g.nowhere > 0 {
		errs = append(errs, &UnroutedError{g.sink.options.Exchange, g.sink.options.Key, g.nowhere})
	}
	if g.refused > 0 {
		errs = append(errs, &RefusedError{g.refused})
	}
	return errors.Join(errs...)
}
