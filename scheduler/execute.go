package scheduler

import (
	"context"
	"errors"
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// operationKey is where a context carries its operation.
type operationKey struct{}

// ErrEnded is what ExecuteRequest returns to a goroutine that goes on after its scraper has returned or its run is over.
var ErrEnded = errors.New("the operation has ended")

// ExecuteRequest does a request through client when politeness allows it. It returns the client's own response, error, or both. Other
// operations run until then. If ctx carries no operation, it does the request directly.
//
// When ctx ends, ExecuteRequest returns the cause at once, in a turn of its operation. A request that is in flight then still occupies
// its host, and the operation's next request waits until the client returns. Several goroutines of one operation may call ExecuteRequest;
// their requests go one after the other.
func ExecuteRequest(ctx context.Context, client Client, r *scraperutils.Request) (*scraperutils.Response, error) {
	if err := executable(client, r); err != nil {
		return nil, err
	}
	op, ok := ctx.Value(operationKey{}).(*operation)
	if !ok {
		return client.Do(ctx, r)
	}
	return op.execute(ctx, client, r)
}

// execute hands the request and the turn over to the loop and waits for both to come back.
func (op *operation) execute(ctx context.Context, client Client, r *scraperutils.Request) (*scraperutils.Response, error) {
	if !op.enter(ctx) {
		return nil, notSent(r, context.Cause(ctx))
	}
	defer op.leave()
	op.call.ctx, op.call.client, op.call.request = ctx, client, r
	op.to = scraperutils.HostOf(r.URL)
	op.loop.post(message{kind: messageCall, op: op})
	var a answer
	var ok bool
	if ctx == op.ctx { // whose end the loop sees by itself
		a, ok = <-op.answers
	} else {
		a, ok = op.answerWithin(ctx)
	}
	if !ok {
		return nil, notSent(r, ErrEnded)
	}
	return a.response, a.err
}

// answerWithin waits for the answer and withdraws the request when ctx ends; not ok: there are no more answers.
func (op *operation) answerWithin(ctx context.Context) (a answer, ok bool) {
	select {
	case a, ok = <-op.answers:
		return a, ok
	case <-ctx.Done():
	}
	op.loop.post(message{kind: messageWithdrawal, op: op})
	a, ok = <-op.answers
	return a, ok
}

// enter waits until no other goroutine of the scraper is in ExecuteRequest; false: ctx has ended. A goroutine that has entered hears
// of the end of the operation's own context from the loop, in a turn; one that still waits here returns without a turn.
func (op *operation) enter(ctx context.Context) bool {
	select {
	case op.calling <- struct{}{}:
	default:
		if !op.enterLater(ctx) {
			return false
		}
	}
	if ctx != op.ctx && ctx.Err() != nil {
		op.leave()
		return false
	}
	return true
}

func (op *operation) enterLater(ctx context.Context) bool {
	select {
	case op.calling <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (op *operation) leave() { <-op.calling }

// notSent says that a request had no answer because its context ended.
func notSent(r *scraperutils.Request, cause error) error {
	return fmt.Errorf("given up: %w (%s)", cause, r)
}
