package durable

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Groups of any size stand one behind the other, whatever fails between them, and nothing is behind them.
func TestDirect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Direct())
	random := rand.New(rand.NewPCG(4096, 1))
	var want []byte
	failure := errors.New("no more")
	for range 60 {
		group := bytes.Repeat([]byte{byte('a' + random.IntN(26))}, random.IntN(1<<(1+random.IntN(22))))
		switch random.IntN(4) {
		case 0:
			require.ErrorIs(t, f.Append(t.Context(), func(w io.Writer) error { _, _ = w.Write(group); return failure }), failure)
			group = nil
		case 1:
			ctx, cancel := context.WithCancel(t.Context())
			require.ErrorIs(t, f.Append(ctx, func(w io.Writer) error { cancel(); _, err := w.Write(group); return err }), context.Canceled)
			group = nil
		case 2: // in small pieces
			require.NoError(t, f.Append(t.Context(), func(w io.Writer) error {
				for rest := group; len(rest) > 0; {
					n := min(1+random.IntN(5000), len(rest))
					if _, err := w.Write(rest[:n]); err != nil {
						return err
					}
					rest = rest[n:]
				}
				return nil
			}))
		default:
			put(t, f, string(group))
		}
		want = append(want, group...)
		require.EqualValues(t, len(want), f.Size())
		require.True(t, content(t, path) == string(want))
	}
	require.NoError(t, f.Finish(path+".done"))
	assert.True(t, content(t, path+".done") == string(want))
}

// Where the file system refuses what is written past the cache, it is written through it.
func TestDirectWhereItIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Direct())
	if f.blocks == nil {
		t.Skip("nothing can be written past the cache here")
	}
	f.blocks.buffer = f.blocks.buffer[1 : 1+64*blockSize] // a place in memory that is refused
	put(t, f, "one ")
	put(t, f, strings.Repeat("two ", 100_000))
	require.NoError(t, f.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "one "+strings.Repeat("two ", 100_000), string(b))
}
