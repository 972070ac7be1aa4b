package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// wire is a network on which each address answers after a time; those that are not named refuse at once. It keeps what was
// tried and when, in milliseconds.
type wire struct {
	answers map[string]time.Duration
	began   time.Time
	tried   chan string
}

func newWire(answers map[string]time.Duration) *wire {
	return &wire{answers: answers, began: time.Now(), tried: make(chan string, 100)}
}

func (w *wire) connect(ctx context.Context, _, address string) (net.Conn, error) {
	w.tried <- fmt.Sprintf("%d %s", time.Since(w.began).Milliseconds(), address)
	after, ok := w.answers[address]
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
	}
	select {
	case <-time.After(after):
		c, _ := net.Pipe()
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func all[T any](c chan T) (got []T) {
	for range len(c) {
		got = append(got, <-c)
	}
	return got
}

func addrs(list string) (all []netip.Addr) {
	for _, a := range strings.Fields(list) {
		all = append(all, netip.MustParseAddr(a))
	}
	return all
}

// Addresses of both families are tried in turn, each 300 ms after the one before or when that has failed, until one answers.
func TestAddressesAreTriedInTurn(t *testing.T) {
	for name, c := range map[string]struct {
		addresses string
		answers   map[string]time.Duration
		tried     []string
		err       string
	}{
		"the first answers":   {"192.0.2.1 192.0.2.2", map[string]time.Duration{"192.0.2.1:80": 200 * time.Millisecond}, []string{"0 192.0.2.1:80"}, ""},
		"the first is slow":   {"2001:db8::1 192.0.2.1", map[string]time.Duration{"[2001:db8::1]:80": time.Hour, "192.0.2.1:80": time.Millisecond}, []string{"0 [2001:db8::1]:80", "300 192.0.2.1:80"}, ""},
		"the first refuses":   {"2001:db8::1 192.0.2.1", map[string]time.Duration{"192.0.2.1:80": time.Millisecond}, []string{"0 [2001:db8::1]:80", "0 192.0.2.1:80"}, ""},
		"families alternate":  {"2001:db8::1 2001:db8::2 192.0.2.1 192.0.2.2", nil, []string{"0 [2001:db8::1]:80", "0 192.0.2.1:80", "0 [2001:db8::2]:80", "0 192.0.2.2:80"}, "dial tcp: refused"},
		"4 in 6":              {"::ffff:192.0.2.1", map[string]time.Duration{"192.0.2.1:80": 0}, []string{"0 192.0.2.1:80"}, ""},
		"none answers":        {"192.0.2.1", nil, []string{"0 192.0.2.1:80"}, "dial tcp: refused"},
		"slow, and then none": {"192.0.2.1 192.0.2.2", map[string]time.Duration{"192.0.2.1:80": time.Hour}, []string{"0 192.0.2.1:80", "300 192.0.2.2:80"}, "dial tcp: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(c.answers)
				n := fetch.NewNames(time.Minute, w.connect, func(context.Context, string, string) ([]netip.Addr, error) { return addrs(c.addresses), nil })
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				conn, err := n.Dial(ctx, "tcp", "a.example:80")
				assert.Equal(t, c.tried, all(w.tried))
				if c.err != "" {
					require.EqualError(t, err, c.err)
					assert.True(t, scraperutils.Unreached(err))
					return
				}
				require.NoError(t, err)
				assert.NoError(t, conn.SetDeadline(time.Time{}), "it is open")
				conn.Close()
			})
		})
	}
}

// A connection that comes after another one is closed.
func TestSecondConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		early, _ := net.Pipe()
		late, _ := net.Pipe()
		n := fetch.NewNames(time.Minute, func(_ context.Context, _, address string) (net.Conn, error) {
			if address == "192.0.2.1:80" {
				time.Sleep(time.Second) // it does not hear that it is too late
				return late, nil
			}
			return early, nil
		}, func(context.Context, string, string) ([]netip.Addr, error) { return addrs("192.0.2.1 192.0.2.2"), nil })
		conn, err := n.Dial(t.Context(), "tcp", "a.example:80")
		require.NoError(t, err)
		assert.Same(t, early, conn)
		assert.NoError(t, conn.SetDeadline(time.Time{}), "it is open")
		assert.ErrorIs(t, late.SetDeadline(time.Time{}), io.ErrClosedPipe)
	})
}

// A name is looked up once a minute, and again when none of its addresses answers. What can't be resolved is not remembered.
func TestNamesAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(map[string]time.Duration{"192.0.2.1:80": 0})
		lookups, means := 0, "192.0.2.1"
		n := fetch.NewNames(time.Minute, w.connect, func(_ context.Context, network, host string) ([]netip.Addr, error) {
			lookups++
			assert.Equal(t, "ip", network)
			if means == "" {
				return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
			}
			return addrs(means), nil
		})
		dial := func(want int) error {
			t.Helper()
			c, err := n.Dial(t.Context(), "tcp", "a.example:80")
			if err == nil {
				c.Close()
			}
			assert.Equal(t, want, lookups)
			return err
		}
		require.NoError(t, dial(1))
		time.Sleep(time.Minute - 1)
		require.NoError(t, dial(1))
		time.Sleep(time.Nanosecond)
		means = "192.0.2.9"
		require.Error(t, dial(2), "nobody answers there")
		means = ""
		err := dial(3)
		assert.Equal(t, scraperutils.ClassDNS, scraperutils.ClassOf(err))
		assert.True(t, scraperutils.Unreached(err))
		means = "192.0.2.1"
		require.NoError(t, dial(4))
		c, err := n.Dial(t.Context(), "tcp", "192.0.2.1:80")
		require.NoError(t, err)
		c.Close()
		assert.Equal(t, 4, lookups, "an address is no name")
	})
}

// However many hosts are asked, so many names are remembered.
func TestNamesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fetch.NewNames(time.Minute, func(context.Context, string, string) (net.Conn, error) { c, _ := net.Pipe(); return c, nil },
			func(context.Context, string, string) ([]netip.Addr, error) { return addrs("192.0.2.1"), nil })
		for i := range fetch.MaxNames + 100 {
			_, err := n.Dial(t.Context(), "tcp", fmt.Sprintf("h%d.example:80", i))
			require.NoError(t, err)
		}
		assert.Equal(t, fetch.MaxNames, n.Len())
		time.Sleep(time.Minute)
		_, err := n.Dial(t.Context(), "tcp", "new.example:80")
		require.NoError(t, err)
		assert.Equal(t, 1, n.Len(), "those whose time is over make room")
	})
}
