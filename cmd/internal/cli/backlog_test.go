package cli

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// stoppedReader is one that takes nothing until it is let go.
type stoppedReader struct {
	strings.Builder
	letGo chan struct{}
}

func (s *stoppedReader) Write(b []byte) (int, error) {
	<-s.letGo
	return s.Builder.Write(b)
}

// Who writes does not wait for who reads; what there is room for comes in order, and the rest is counted.
func TestBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := &stoppedReader{letGo: make(chan struct{})}
		b := NewBacklog(reader)
		write := func(text string) {
			n, err := b.Write([]byte(text))
			assert.NoError(t, err)
			assert.Equal(t, len(text), n)
		}
		write("first\n")
		synctest.Wait() // it is being written
		much := strings.Repeat("much\n", MaxBacklog/len("much\n"))
		write(much)
		write("one that has\nno room\n")
		write("")
		assert.Empty(t, reader.String())

		closed := make(chan int)
		go func() { closed <- b.Close() }()
		synctest.Wait()
		go write("last\n") // once the others are out
		synctest.Wait()
		close(reader.letGo)
		assert.Equal(t, 2, <-closed, "lines are missing")
		synctest.Wait()
		assert.Equal(t, "first\n"+much+"last\n", reader.String())
		assert.Equal(t, 2, b.Close())
		write("and now at once\n")
		assert.True(t, strings.HasSuffix(reader.String(), "last\nand now at once\n"))
	})
}

// A line that is longer than all that waits is no reason to lose it.
func TestBacklogOfOneLine(t *testing.T) {
	var reader strings.Builder
	b := NewBacklog(&reader)
	line := strings.Repeat("x", 2*MaxBacklog) + "\n"
	_, err := b.Write([]byte(line))
	assert.NoError(t, err)
	assert.Zero(t, b.Close())
	assert.Equal(t, len(line), reader.Len())
}
