package frontier

import (
	"context"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Add implements crawl.Frontier.
func (f *Frontier) Add(ctx context.Context, now time.Time, entries []crawl.Entry) (added crawl.Added, err error) {
	placed := crawl.Place(entries, f.hash)
	var done crawl.Added // the writer's until the job is done
	err = f.write(ctx, "add to", func(t *tx) (err error) {
		done, err = t.add(crawl.Millis(now), placed)
		return err
	})
	if err != nil {
		return crawl.Added{}, err
	}
	return done, nil
}

func (t *tx) add(now int64, entries []crawl.Placed) (added crawl.Added, err error) {
	for _, e := range entries {
		h, err := t.hostOf(e)
		if err != nil {
			return added, err
		}
		if e.Depth == 0 && !h.seed {
			h.seed, h.changed = true, true
		}
		due := now
		if !e.Due.IsZero() {
			due = crawl.MillisUp(e.Due)
		}
		if err := t.addURL(h, e, now, due, &added); err != nil {
			return added, err
		}
	}
	return added, nil
}

// addURL adds one URL, or has one again that is known.
func (t *tx) addURL(h *host, e crawl.Placed, now, due int64, added *crawl.Added) error {
	prio := crawl.PriorityOf(e.Entry)
	for key := e.URLHash; ; key = crawl.NextHash(key) {
		entered, err := t.enterUnseen(h, e, key, now, due, added)
		if err != nil || entered {
			return err
		}
		k, err := t.known(h.id, key)
		if err != nil {
			return err
		}
		if t.unseen = k.state == ""; t.unseen {
			return t.enter(h, e, key, now, due, added)
		}
		if k.url != e.URL {
			continue
		}
		if e.Depth < k.depth {
			if err := t.foundNearer(h.id, key, e, now); err != nil {
				return err
			}
		}
		if !e.Again || k.state != crawl.StateDone && k.state != crawl.StateFailed {
			added.Known++
			return nil
		}
		added.Again++
		t.count(h, k.state, k.reason, -1)
		t.begun(h, prio, due)
		_, err = t.exec(`update urls set state = 0, due = ?, reason = '', attempts = 0, prio = ?, id = ?, redirects = ? where host = ? and fp = ?`,
			due, prio, e.ID, e.Redirects, h.id, key)
		return err
	}
}

// enter adds a URL that is new, unless a rule keeps it out.
func (t *tx) enter(h *host, e crawl.Placed, key, now, due int64, added *crawl.Added) error {
	rule, err := t.keepsOut(h, e)
	if err != nil {
		return err
	}
	if rule != "" {
		added.Over++
		t.trap(crawl.Trap{Host: e.Host, Rule: rule, Count: 1, Example: e.URL})
		return nil
	}
	_, err = t.insert(h, e, key, now, due, added)
	return err
}

// enterUnseen adds a URL without looking whether it is known, where no rule might keep it out, and reports whether it was new. URLs that
// are given are mostly new, or mostly known, as the one before was. Most links are known, so they are looked for first.
func (t *tx) enterUnseen(h *host, e crawl.Placed, key, now, due int64, added *crawl.Added) (bool, error) {
	if !t.unseen || e.Depth > 0 || e.Limit > 0 || e.PathHash != 0 {
		return false, nil
	}
	return t.insert(h, e, key, now, due, added)
}

// insert writes a URL, unless its key is taken, and reports whether it did.
func (t *tx) insert(h *host, e crawl.Placed, key, now, due int64, added *crawl.Added) (bool, error) {
	prio := crawl.PriorityOf(e.Entry)
	n, err := t.exec(`insert into urls (host, fp, url, prio, due, redirects, depth, series, sitemap, via, id, added) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict do nothing`, h.id, key, e.URL, prio, due, e.Redirects, e.Depth, e.Series, e.Sitemap, e.Via, e.ID, now)
	if err != nil || n == 0 {
		return false, err
	}
	added.New++
	t.begun(h, prio, due)
	return true, nil
}

// begun takes in that a visit of one of a host's URLs begins.
func (t *tx) begun(h *host, prio int, due int64) {
	t.count(h, crawl.StateReady, "", 1)
	h.levels |= 1 << prio
	h.sooner(due)
}

// known is what there is of a URL already.
type known struct {
	url    string
	state  crawl.State // "": there is no such URL
	reason string
	depth  int
}

func (t *tx) known(host, key int64) (k known, err error) {
	err = t.query(func(rows row) error {
		var state int
		err := rows.Scan(&k.url, &state, &k.reason, &k.depth)
		k.state = states[state]
		return err
	}, "select url, state, reason, depth from urls where host = ? and fp = ?", host, key)
	return k, err
}
