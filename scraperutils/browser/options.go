package browser

import (
	"context"
	"net"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/browser/behavior"
)

// These are the defaults of Options.
const (
	DefaultPages           = 1
	DefaultPagesPerProcess = 50
)

// Options configures a Browser. The zero value is ready to use.
type Options struct {
	Path            string        // the program; "" is the first of Programs on the PATH
	Pages           int           // open at once; 0 is 1
	PagesPerProcess int           // after which a process is replaced; 0 is 50
	UserAgent       string        // "" is the browser's own, without "Headless"
	Behaviors       *behavior.Set // nil is behavior.Default()
	Limits          Limits

	AllowPrivate       bool // allow addresses that are not public, such as those of this machine
	IgnoreCertificates bool // skip the check of certificates

	// Dial replaces the network, for sites on loopback; nil is the network. Dial resolves names itself. It is used whatever AllowPrivate
	// says.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	OnTrouble func(error) // called when a process ended or was replaced, from any goroutine; may be nil

	version  string                                              // of the program
	ownAgent bool                                                // UserAgent is the browser's own
	rule     func(*rest, time.Time) (done bool, again time.Time) // when a page is done: rest.done, but for those who compare rules
}

// Limits are what a page may use. A zero field has its default.
type Limits struct {
	Load         time.Duration // until the document is there; a document that still waits for something then counts as loaded; 30 s
	Behaviors    time.Duration // from the load event until the page is done; 60 s
	Page         time.Duration // for all of it; 120 s
	Memory       int64         // resident memory of a renderer, in bytes; 600 MiB
	Unresponsive time.Duration // a renderer hangs if it does not answer for this long, twice in a row; 15 s
}
