package crawlcmd_test

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/amqp/amqptest"
)

// fault is something that the world does to a crawl for a while.
type fault struct {
	begin func(t *testing.T, o outlets)
	end   func(t *testing.T, o outlets)
	says  *regexp.Regexp // in the log, of what is tried again
	lasts time.Duration
	kills bool // the crawl is killed in the middle of it; where one can't start meanwhile, it is started again after it
}

// A disk that is full, a broker that is gone, a database that another program has locked: the crawl waits, says so, and goes on. Nothing is
// lost, nothing is asked again but what was in flight when it was killed beside that, and all places have every page.
func TestFaults(t *testing.T) {
	// TestDiskFull and TestLockedByAnotherProgram of db/frontier, TestAFullDiskLosesNothing of warc, TestACutConnectionLosesNothing of amqp
	dear(t)
	if !full { // it ends the broker that others use
		t.Parallel()
	}
	short, lock, outage := 700*time.Millisecond, 700*time.Millisecond, 700*time.Millisecond
	if full {
		short, lock, outage = 20*time.Second, 20*time.Second, 20*time.Second
	}
	var gone atomic.Bool
	proxy := amqptest.NewProxy(t, broker.URL(t), func() (out, in int64) {
		if gone.Load() {
			return 0, 0
		}
		return -1, -1
	})
	var locked *sql.Conn
	for name, f := range map[string]fault{
		"a full disk": {
			begin: func(t *testing.T, o outlets) { fill(t, o.folder) },
			end:   func(t *testing.T, o outlets) { require.NoError(t, os.Remove(filepath.Join(o.folder, "filler"))) },
			says:  regexp.MustCompile("no space left on device|disk is full"), lasts: short, kills: true,
		},
		"a locked database": {
			begin: func(t *testing.T, o outlets) {
				locked = connection(t, filepath.Join(o.folder, "frontier.sqlite"))
				_, err := locked.ExecContext(t.Context(), "BEGIN EXCLUSIVE")
				require.NoError(t, err)
			},
			end: func(t *testing.T, _ outlets) {
				_, err := locked.ExecContext(t.Context(), "ROLLBACK")
				require.NoError(t, err)
			},
			says: regexp.MustCompile(""), lasts: lock, kills: true, // SQLite itself waits for it: there is nothing to say
		},
		"a broker that is gone": {
			begin: func(*testing.T, outlets) {
				gone.Store(true)
				if proxy.Cut(); full {
					broker.Kill()
				}
			},
			end:  func(t *testing.T, _ outlets) { broker.URL(t); gone.Store(false) },
			says: regexp.MustCompile("broker 127.0.0.1:"), lasts: outage,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if !full {
				t.Parallel()
			}
			o := newOutlets(t)
			switch name {
			case "a broker that is gone":
				o.amqp = proxy.URL()
			case "a full disk":
				o.folder = smallDisk(t)
			}
			f.befalls(t, o)
		})
	}
}

// befalls has a fault come to a crawl, and kills the crawl in the middle of it where it may.
func (f fault) befalls(t *testing.T, o outlets) {
	hosts, pages, inFlight := 20, 20, 16
	if full {
		hosts, pages, inFlight = 100, 40, 64
	}
	web := newWeb(t)
	web.latency = 20 * time.Millisecond
	web.busy = func(url string, asked int) bool { return url[len(url)-1] == '3' && asked < 2 }
	good(t, o.folder, "add", "-f", write(t, o.folder, "urls", list(hosts, pages)))
	args := append(o.flags(), "--proxy", web.proxy(), "--no-delay", "--requests", strconv.Itoa(inFlight), "--retry-after", "0.1", "--retries", "100")
	random := seeded(t)
	kills, requests := 0, hosts*pages+2*hosts*pages/10
	c := start(t, o.folder, args...)
	await(t, func() bool { return web.total() > requests/10+random.IntN(requests/3) })
	f.begin(t, o)
	await(t, func() bool { return f.says.MatchString(c.out.String()) })
	time.Sleep(f.lasts / 2) // that is what a fault is: time
	if f.kills {
		c.kill(t)
		kills++
		c = start(t, o.folder, args...)
	}
	time.Sleep(f.lasts / 2)
	f.end(t, o)
	if code := c.end(t); f.kills && code != 0 { // it could not begin on a full disk, and said so
		assert.Equal(t, 2, code, c.complaints)
		assert.Contains(t, c.complaints.String(), "crawl: ")
		c = start(t, o.folder, args...)
		code = c.end(t)
		require.Zero(t, code, c.complaints)
	} else {
		require.Zero(t, code, c.complaints)
	}
	o.check(t, hosts*pages, (kills+1)*inFlight) // what a broker has taken without a word that reached us is published again
	assert.LessOrEqual(t, web.total(), requests+kills*inFlight)
	assert.Equal(t, 1, web.mostAtOnce())
	auditFrontier(t, o.folder, hosts*pages)
	t.Logf("%d requests beyond those that are needed, %d kill", web.total()-requests, kills)
}

// smallDisk is a folder with little room.
func smallDisk(t *testing.T) string {
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("a small disk can't be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("unmount: %v: %s", err, out)
		}
	})
	return disk
}

// fill leaves no room on the disk of a folder.
func fill(t *testing.T, folder string) {
	t.Helper()
	file, err := os.Create(filepath.Join(folder, "filler"))
	require.NoError(t, err)
	defer file.Close()
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// connection is one of another program to a database.
func connection(t *testing.T, path string) *sql.Conn {
	t.Helper()
	pool, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	conn, err := pool.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
