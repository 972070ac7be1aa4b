package browser

import (
	chromium "github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// frame is a document in a window.
type frame struct {
	of     *attached // the window, or the frame, in whose process it is
	number int       // in the order in which frames came
}

// maxFrames is how many frames of a page are acted on and read.
const maxFrames = 100

// addFrame notes that a frame is in a target's process: it may have been in another one's before.
func (g *page) addFrame(id chromium.FrameID, of *attached) {
	if f := g.frames[id]; f != nil {
		f.of = of
		return
	}
	if len(g.frames) < maxFrames {
		g.numbered++
		g.frames[id] = &frame{of, g.numbered}
	}
}

// framed takes what a target tells of its frames.
func (g *page) framed(e cdp.Event) {
	s := g.sessions[e.Session]
	if s == nil {
		return
	}
	switch e.Method {
	case cdppage.FrameAttached.Method:
		var attached cdppage.EventFrameAttached
		if e.Read(&attached) == nil {
			g.addFrame(attached.FrameID, s)
		}
	case cdppage.FrameDetached.Method:
		var detached cdppage.EventFrameDetached
		if e.Read(&detached) != nil {
			return
		}
		if f := g.frames[detached.FrameID]; f != nil && f.of == s { // not one that has moved to a process of its own
			delete(g.frames, detached.FrameID)
		}
	}
}

// dropFrames forgets the frames of a target that is gone.
func (g *page) dropFrames(of *attached) {
	for id, f := range g.frames {
		if f.of == of {
			delete(g.frames, id)
		}
	}
}
