package cli

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However many connect, a server has only so many connections at once. One more is answered as soon as another has ended.
func TestConnectionsAreLimited(t *testing.T) {
	l, err := Listen("127.0.0.1:0", time.Minute, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	require.NoError(t, err)
	ask := func() (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", l.Address())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		return c, bufio.NewReader(c)
	}
	answered := func(answers *bufio.Reader) bool {
		r, err := http.ReadResponse(answers, nil)
		return err == nil && r.StatusCode == http.StatusOK
	}
	var first net.Conn
	for i := range mostConnections {
		c, answers := ask()
		require.True(t, answered(answers))
		if i == 0 {
			first = c
		}
	}
	last, answers := ask()
	require.NoError(t, last.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	assert.False(t, answered(answers), "there are enough")
	require.NoError(t, last.SetReadDeadline(time.Time{}))
	require.NoError(t, first.Close())
	assert.True(t, answered(bufio.NewReader(last)), "one has ended")
	_ = last.Close()
	assert.NoError(t, l.Close())
}
