package stream_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/leases"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// A time without a zone is UTC, wherever the machine is.
func TestParseTime(t *testing.T) {
	zone := time.Local
	defer func() { time.Local = zone }()
	want := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, name := range []string{"UTC", "Asia/Tokyo", "America/New_York"} {
		var err error
		time.Local, err = time.LoadLocation(name)
		require.NoError(t, err)
		for _, text := range []string{"2026-01-31T12:00:00", "2026-01-31 12:00:00", "2026-01-31T12:00:00Z", "2026-01-31T21:00:00+09:00", "2026-01-31T07:00:00-05:00"} {
			got, err := stream.ParseTime(text)
			require.NoError(t, err)
			assert.Equal(t, want, got, "%s in %s", text, name)
		}
	}
	for _, text := range []string{"", "now", "12:00", "2026-13-01T00:00:00Z", "1769860800", "2026-01-31T12:00:00 Tokyo"} {
		_, err := stream.ParseTime(text)
		assert.Error(t, err, text)
	}
}

func FuzzPosition(f *testing.F) {
	for _, p := range []stream.Position{{Kind: stream.Horizon}, {Kind: stream.AtTime, Time: time.Unix(1, 5).UTC()}, {Kind: stream.After, Sequence: "49"}} {
		f.Add(p.String())
	}
	f.Add("AT_TIMESTAMP never")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := stream.ParsePosition(text)
		if err != nil {
			return
		}
		again, err := stream.ParsePosition(p.String())
		require.NoError(t, err)
		assert.Equal(t, p.String(), again.String())
	})
}

// Checkpoint files of the consumer that was there before are taken over, and kept up to date.
func TestVolume(t *testing.T) {
	for name, text := range map[string]string{"bare": "1004", "with a newline": "1004\n", "quoted": `"1004"`} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T, path string) {
				folder := t.TempDir()
				mine := filepath.Join(folder, "s__0.json")
				require.NoError(t, os.WriteFile(mine, []byte(text), 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(folder, "other__0.json"), []byte("no number"), 0o600))
				const id = "shardId-000000000000"
				r := newRiver(id, "b")
				r.put(id, 0, 10)
				r.put("b", 0, 3)
				var n notes
				l := newLab(t, r, path, "one", stream.Each(n.each))
				volume, err := stream.NewVolume(l.file, folder, "s")
				require.NoError(t, err)
				l.Leases = volume
				errDeadline(t, l.runFor(t, time.Second))
				assert.ElementsMatch(t, append(of(id, 5, 10), of("b", 0, 3)...), n.get())
				for file, want := range map[string]string{mine: "1009", filepath.Join(folder, "s__b.json"): "1002"} {
					got, err := os.ReadFile(file)
					require.NoError(t, err)
					assert.Equal(t, want, string(got))
				}
				files, err := os.ReadDir(folder)
				require.NoError(t, err)
				assert.Len(t, files, 3, "nothing is left beside them")
			})
		})
	}
	file, err := leases.Open(t.Context(), filepath.Join(t.TempDir(), "stream.sqlite"), "s")
	require.NoError(t, err)
	defer file.Close()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "s__0.json"), []byte("{\"position\": 5}"), 0o600))
	_, err = stream.NewVolume(file, folder, "s")
	require.ErrorContains(t, err, "expected a sequence number")
	_, err = stream.NewVolume(file, filepath.Join(folder, "none"), "s")
	require.Error(t, err)
}
