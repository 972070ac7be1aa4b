package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	protocol "github.com/chromedp/cdproto/browser"
	chromium "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

const (
	startTime = 60 * time.Second // that a browser may take until it answers
	endTime   = 10 * time.Second // that it may take to end by itself once its pipe is closed
)

// process is one Chromium. It belongs to the Browser, which counts its pages.
type process struct {
	conn    *cdp.Conn
	program *exec.Cmd
	profile string        // its folder
	lock    *os.File      // on the folder; may be nil
	said    *tail         // what it wrote to its standard error
	ended   chan struct{} // closed when nothing of it is left

	watching sync.WaitGroup // the goroutine that looks at its memory

	// Owned by the Browser.
	pages   int  // opened so far
	open    int  // of them
	retired bool // no more are to be opened

	mu     sync.Mutex        // guards the rest
	wrong  error             // why it is not to be used again; nil: it may be
	killed map[int]time.Time // renderers that were killed for their memory, by process, until a page learns of it
}

// fail has the browser replaced: what is wrong with it may concern all its pages.
func (p *process) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wrong == nil {
		p.wrong = err
	}
}

func (p *process) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wrong
}

// reason says why it is gone.
func (p *process) reason() error {
	if err := p.failed(); err != nil {
		return err
	}
	return fmt.Errorf("the browser has ended%s", p.complaint())
}

// startProcess starts a browser and waits until it answers. It ends when this process does, however that comes about: its pipe ends, and
// the kernel kills it.
func startProcess(ctx context.Context, path string, o Options) (_ *process, err error) {
	as := user()
	profile, lock, err := newProfile(as)
	if err != nil {
		return nil, err
	}
	p := &process{profile: profile, lock: lock, said: &tail{}, ended: make(chan struct{}), killed: map[int]time.Time{}}
	reads, to, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, p.cleanUp())
	}
	from, writes, err := os.Pipe()
	if err != nil {
		_, _ = reads.Close(), to.Close()
		return nil, errors.Join(err, p.cleanUp())
	}
	p.program = exec.Command(path, flags(profile, o)...)
	p.program.Env = environment(profile)
	p.program.Dir = profile
	p.program.Stderr = p.said
	p.program.ExtraFiles = []*os.File{reads, writes}
	p.program.WaitDelay = time.Second
	bind(p.program, as)
	started := make(chan error, 1)
	go p.run(started)
	err = <-started
	_, _ = reads.Close(), writes.Close() // they are the browser's now
	if err != nil {
		_, _ = to.Close(), from.Close()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	p.conn = cdp.NewConn(from, to)
	if err := p.greet(ctx); err != nil {
		p.end()
		return nil, fmt.Errorf("start %s: %w%s", path, err, p.complaint())
	}
	p.watching.Go(func() { p.watchMemory(o.Limits.Memory) })
	return p, nil
}

// run starts the program and waits for its end. It keeps its thread: the kernel kills the program when the thread that started it ends.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.ended)
	defer func() { _ = p.cleanUp() }() // a process that is being killed may still write: whoever starts the next one removes it
	err := p.program.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.program.Wait() // how it ended is in what it said
	endGroup(p.program)  // what it has left behind
}

// cleanUp removes the browser's folder.
func (p *process) cleanUp() error {
	err := os.RemoveAll(p.profile)
	_ = p.lock.Close() // nil is no file
	return err
}

// greet waits until the browser answers, and has it show every target as it comes.
func (p *process) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, fmt.Errorf("no answer within %s", startTime))
	defer cancel()
	if _, err := cdp.Call(ctx, p.conn.Browser(), protocol.GetVersion, chromium.Empty{}); err != nil {
		return err
	}
	found := target.SetDiscoverTargetsParams{Discover: true, Filter: target.Filter{{Type: "page"}, {Type: "iframe"}}} // it tells how their renderers die
	if _, err := cdp.Call(ctx, p.conn.Browser(), target.SetDiscoverTargets, found); err != nil {
		return err
	}
	_, err := cdp.Call(ctx, p.conn.Browser(), target.SetAutoAttach, attachment(false))
	return err
}

// attachment has a session show the targets below it, before they do anything. The browser's own shows windows, and shared and service
// workers of all; those below it leave workers that belong to nobody to it.
func attachment(below bool) target.SetAutoAttachParams {
	flat := true
	a := target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat}
	a.Filter = target.Filter{{Type: "browser", Exclude: true}, {Type: "browser_ui", Exclude: true}, {Type: "tab", Exclude: true}, {}}
	if below {
		a.Filter = append(target.Filter{{Type: "service_worker", Exclude: true}, {Type: "shared_worker", Exclude: true}}, a.Filter...)
	}
	return a
}

// end has the browser end and waits until nothing of it is left. It may be called more than once, from any goroutine.
func (p *process) end() {
	kill := time.AfterFunc(endTime, func() { endGroup(p.program) })
	defer kill.Stop()
	p.conn.Close()
	<-p.ended
	p.watching.Wait()
}

// kill ends a browser that does not answer.
func (p *process) kill() {
	endGroup(p.program)
	p.end()
}

// complaint is what the browser said last, for an error.
func (p *process) complaint() string {
	if text := p.said.String(); text != "" {
		return ": it said: " + text
	}
	return ""
}

// environment is what the browser gets of this process's: no secrets.
func environment(profile string) []string {
	own := []string{"HOME=" + profile, "TMPDIR=" + profile, "XDG_CONFIG_HOME=" + profile, "XDG_CACHE_HOME=" + profile, "DBUS_SESSION_BUS_ADDRESS=disabled:"}
	for _, name := range []string{"PATH", "LANG", "LC_ALL", "TZ", "FONTCONFIG_PATH", "FONTCONFIG_FILE", "LD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			own = append(own, name+"="+value)
		}
	}
	return own
}

// flags are the browser's. With them it asks nobody for anything by itself, and reaches the network through the proxy of a page alone.
func flags(profile string, o Options) []string {
	all := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--no-startup-window",
		"--no-first-run", "--no-default-browser-check", "--password-store=basic", "--use-mock-keychain", "--disable-gpu", "--hide-scrollbars", "--mute-audio",
		"--disable-background-networking", "--disable-component-update", "--disable-component-extensions-with-background-pages", "--disable-default-apps",
		"--disable-domain-reliability", "--disable-extensions", "--disable-sync", "--disable-breakpad", "--disable-crash-reporter", "--disable-search-engine-choice-screen",
		"--disable-client-side-phishing-detection", "--disable-quic", "--no-pings=false", "--metrics-recording-only", "--safebrowsing-disable-auto-update",
		"--disable-field-trial-config", "--disable-features=" + strings.Join(withoutFeatures, ","),
		"--proxy-server=socks5://127.0.0.1:1", "--proxy-bypass-list=<-loopback>", // nobody: pages have proxies of their own
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--disable-hang-monitor",
		"--disable-popup-blocking", "--disable-prompt-on-repost", "--autoplay-policy=no-user-gesture-required", "--window-size=1280,1000", "--accept-lang=en-US,en",
	}
	if o.UserAgent != "" {
		all = append(all, "--user-agent="+o.UserAgent)
	}
	if o.IgnoreCertificates {
		all = append(all, "--ignore-certificate-errors")
	}
	return append(all, "about:blank")
}

// withoutFeatures are parts of Chromium that ask servers of its maker, or that load pages nobody has opened.
var withoutFeatures = []string{
	"AcceptCHFrame", "AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades",
	"HttpsFirstBalancedModeAutoEnable", "ImprovedCookieControls", "InterestFeedContentSuggestions", "LensOverlay", "MediaRouter", "OptimizationHints",
	"PaintHolding", "Prerender2", "SpeculationRulesPrefetchProxy", "Translate",
}

// gone reports whether the browser has ended.
func (p *process) gone() bool {
	select {
	case <-p.conn.Done():
		return true
	default:
		return false
	}
}
