package browser

import (
	"context"
	"net"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/browser/behavior"
)

// Defaults.
const (
	DefaultPages           = 1
	DefaultPagesPerProcess = 50
)

// Options configures a Browser. The zero value is ready.
type Options struct {
	Path            string        // the program; "" is the first of Programs on the PATH
	Pages           int           // that are open at once; 0 is 1
	PagesPerProcess int           // after which a process is replaced; 0 is 50
	UserAgent       string        // "" is the browser's own, without "Headless"
	Behaviors       *behavior.Set // nil is behavior.Default()
	Limits          Limits

	AllowPrivate       bool // addresses that are not public, such as those of this machine, may be asked
	IgnoreCertificates bool // no certificate is checked

	// Dial replaces the network, for sites on loopback; nil is the network. It resolves names itself and is asked whatever
	// AllowPrivate says.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	OnTrouble func(error) // told of a process that ended or was replaced, from any goroutine; nil: nobody

	version  string                                              // of the program
	ownAgent bool                                                // UserAgent is the browser's own
	rule     func(*rest, time.Time) (done bool, again time.Time) // when a page is done: rest.done, but for those who compare rules
}

// Limits are what a page may take. Fields that are zero have their defaults.
type Limits struct {
	Load         time.Duration // until the document is there; a page that is, but waits for something, is taken as loaded then; 30 s
	Behaviors    time.Duration // from the load event until the page is done; 60 s
	Page         time.Duration // for all of it; 120 s
	Memory       int64         // of a renderer, in bytes that are resident; 600 MiB
	Unresponsive time.Duration // a renderer that twice in a row does not answer for so long hangs; 15 s
}
