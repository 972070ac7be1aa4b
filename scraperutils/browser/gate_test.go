package browser

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// through is a client whose connections go through a gate.
func through(t *testing.T, dial dialFunc) (*gate, *http.Client) {
	t.Helper()
	g, err := openGate(dial)
	require.NoError(t, err)
	t.Cleanup(g.Close)
	proxy, err := url.Parse(g.address())
	require.NoError(t, err)
	transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
	t.Cleanup(transport.CloseIdleConnections)
	return g, &http.Client{Transport: transport}
}

func server(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "from "+r.Host)
	}))
	t.Cleanup(s.Close)
	return s
}

// The gate passes on what goes through it, and ends it when it closes.
func TestGate(t *testing.T) {
	s := server(t)
	g, client := through(t, dialer(Options{AllowPrivate: true}))
	r, err := client.Get(s.URL)
	require.NoError(t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	_ = r.Body.Close()
	assert.Equal(t, "from "+strings.TrimPrefix(s.URL, "http://"), string(body))
	c, err := net.Dial("tcp", g.listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	g.Close()
	_, err = c.Read(make([]byte, 1))
	assert.Error(t, err, "no connection outlives it")
	_, err = client.Get(s.URL)
	assert.Error(t, err)
}

// Addresses that are not public are refused when they are connected to, by whatever name, and the gate says why.
func TestGateRefusesPrivateAddresses(t *testing.T) {
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server(t).URL, "http://"))
	require.NoError(t, err)
	g, client := through(t, dialer(Options{}))
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1.2.3", "10.0.0.1", "169.254.169.254"} {
		to := host + ":" + port
		_, err := client.Get("http://" + to)
		require.Error(t, err, to)
		var refused *AddressError
		assert.ErrorAs(t, g.failure(to), &refused, to)
	}
}

// What is not SOCKS is not answered.
func TestGateTakesNothingElse(t *testing.T) {
	dialed := false
	g, err := openGate(func(context.Context, string, string) (net.Conn, error) {
		dialed = true
		return nil, errors.New("no")
	})
	require.NoError(t, err)
	for _, said := range []string{"GET / HTTP/1.1\r\n\r\n", "\x04\x01", "\x05\x01\x00\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50", "\x05\x01\x00\x05\x01\x00\x09", "\x05"} {
		c, err := net.Dial("tcp", g.listener.Addr().String())
		require.NoError(t, err)
		_, _ = io.WriteString(c, said) // it may have been closed already
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c)
		_ = c.Close()
	}
	g.Close()
	assert.False(t, dialed)
}

func TestPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"1.1.1.1": true, "93.184.216.34": true, "2606:4700::1111": true, "172.32.0.1": true, "192.169.0.1": true, "100.128.0.1": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false,
		"224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false, "::1": false, "::": false, "fe80::1%eth0": false, "fc00::1": false, "fd12::1": false,
		"::ffff:10.0.0.1": false, "::ffff:1.1.1.1": true, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "ff02::1": false, "2001:db8::1": false,
	} {
		assert.Equal(t, want, public(netip.MustParseAddr(address)), address)
	}
	assert.False(t, public(netip.Addr{}))
}
