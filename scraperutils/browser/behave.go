package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	chromium "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"

	"github.com/multiscraper/multiscraper/scraperutils/browser/behavior"
	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// How long a page may take for what a behavior asks of it, and how long to wait where there is nothing to do.
const (
	stepTime = 10 * time.Second
	idleTime = 500 * time.Millisecond
)

// acting is how far the page's behavior has come. The loop owns it.
type acting struct {
	behavior behavior.Behavior
	counts   []int // how often each action was done
	turn     int   // the frame that comes next
	links    []string
}

// place is a frame as a step needs it.
type place struct {
	of *attached
	id chromium.FrameID
}

// act does a step, and the next one after a pause, for as long as the page is open.
func (g *page) act(pause time.Duration) {
	if g.visit.WithoutBehaviors {
		return
	}
	script := g.acting.behavior.Script(g.acting.counts)
	g.async(func(ctx context.Context) func() {
		if sleep(ctx, pause) != nil {
			return nil
		}
		return func() { g.step(script, g.places()) }
	})
}

// step has the frames do one thing: the first that has something to do, in turns.
func (g *page) step(script string, frames []place) {
	if len(frames) == 0 {
		g.act(idleTime)
		return
	}
	first := g.acting.turn % len(frames)
	frames = append(slices.Clone(frames[first:]), frames[:first]...)
	g.async(func(ctx context.Context) func() {
		for i, f := range frames {
			if step, ok := g.stepIn(ctx, f, script); ok {
				return func() { g.stepped(step, first+i+1) }
			}
		}
		return func() {
			g.rest.idle()
			g.act(idleTime)
		}
	})
}

// stepIn has one frame do something. It reports false where there is nothing to do, or no frame any more.
func (g *page) stepIn(ctx context.Context, f place, script string) (step behavior.Step, ok bool) {
	within, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	var text string
	if g.evaluate(within, f.of, f.id, script, &text) != nil {
		return step, false
	}
	if text == "null" || json.Unmarshal([]byte(text), &step) != nil {
		return step, false
	}
	if step.X != nil && step.Y != nil {
		g.mouse(within, f, step) // where it can't, the element counts as done
	}
	return step, true
}

// stepped takes what a step has done.
func (g *page) stepped(step behavior.Step, turn int) {
	g.acting.turn = turn
	if a := step.Action; step.Counts && a >= 0 && a < len(g.acting.counts) {
		g.acting.counts[a]++
	}
	g.acting.links = append(g.acting.links, step.Links...)
	g.rest.act(time.Now())
	g.status.set(func(s *PageStatus) { s.Action = printable(step.String()) })
	g.act(g.acting.behavior.Interval)
}

// printable is text of a page or a message for people: one line of it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s[:min(len(s), 200)])
}

// places returns the frames of the page's own window, the outer ones first.
func (g *page) places() []place {
	var all []place
	for id, f := range g.frames {
		if f.of.window() == g.main {
			all = append(all, place{f.of, id})
		}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(g.frames[a.id].number, g.frames[b.id].number) })
	return all
}

// window returns what a target is in, in the end.
func (s *attached) window() *attached {
	for s.within != nil {
		s = s.within
	}
	return s
}

// mouse moves the mouse to where a step wants it, and clicks if it does. Input belongs to the window.
func (g *page) mouse(ctx context.Context, f place, step behavior.Step) {
	x, y, err := g.inWindow(ctx, f, *step.X, *step.Y)
	if err != nil {
		return
	}
	events := []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved}
	if step.Did == behavior.Click {
		events = append(events, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased)
	}
	for _, kind := range events {
		e := input.DispatchMouseEventParams{Type: kind, X: x, Y: y}
		if kind != input.DispatchMouseEventTypeMouseMoved {
			e.Button, e.ClickCount = input.MouseButtonLeft, 1
		}
		if _, err := cdp.Call(ctx, g.main.Session, input.DispatchMouseEvent, e); err != nil {
			return
		}
	}
}

// inWindow returns where a point of a frame is in its window.
func (g *page) inWindow(ctx context.Context, f place, x, y float64) (float64, float64, error) {
	s := f.of
	for id := f.id; ; {
		within := s
		if string(id) == string(s.target) { // the outermost frame of its process
			if s.within == nil {
				return x, y, nil
			}
			within = s.within
		}
		left, top, err := corner(ctx, within.Session, id)
		if err != nil {
			return 0, 0, err
		}
		x, y = x+left, y+top
		s, id = within, chromium.FrameID(within.target)
	}
}

// corner returns where a frame begins in the outermost frame of the process that its element is in.
func corner(ctx context.Context, s *cdp.Session, f chromium.FrameID) (x, y float64, err error) {
	if _, err := cdp.Call(ctx, s, dom.Enable, dom.EnableParams{}); err != nil {
		return 0, 0, err
	}
	owner, err := cdp.Call(ctx, s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f})
	if err != nil {
		return 0, 0, err
	}
	box, err := cdp.Call(ctx, s, dom.GetBoxModel, dom.GetBoxModelParams{BackendNodeID: owner.BackendNodeID})
	if err != nil {
		return 0, 0, err
	}
	if box.Model == nil || len(box.Model.Content) < 2 {
		return 0, 0, fmt.Errorf("the frame %s has no place", f)
	}
	return box.Model.Content[0], box.Model.Content[1], nil
}
