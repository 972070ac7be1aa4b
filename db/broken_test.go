package db_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

// requireBroken requires that an error says in one line what became of the file.
func requireBroken(t *testing.T, err error, advice string) {
	t.Helper()
	var broken *db.BrokenError
	require.ErrorAs(t, err, &broken)
	assert.Contains(t, broken.Advice, advice)
	assert.NotContains(t, err.Error(), "\n")
}

// What is saved to a file that has lost its name would be gone with the process: it is refused.
func TestFileThatIsTakenAway(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"deleted": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error {
			if err := os.Rename(path, path+".old"); err != nil {
				return err
			}
			return os.WriteFile(path, nil, 0o600)
		},
		"emptied": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			d := open(t, path, db.Options{})
			l := d.Ledger("data", "id")
			save(t, l, rec("id", 0))
			save(t, l, rec("id", 1))
			require.NoError(t, take(path))
			require.NoError(t, l.Save(rec("id", 2)))
			requireBroken(t, l.Settle(t.Context()), "it was deleted, moved or replaced while it was in use")
			assert.Equal(t, 2, l.Saved())
			if name != "emptied" { // which is a table's matter then: there is none
				_, err := d.Exec(t.Context(), "DELETE FROM data")
				requireBroken(t, err, "it was deleted, moved or replaced while it was in use")
			}
		})
	}
}

// A disk that is no longer mounted for writing is everybody's failure.
func TestFileThatCannotBeWrittenAnyMore(t *testing.T) {
	d := open(t, newPath(t), db.Options{})
	l := d.Ledger("data", "id")
	save(t, l, rec("id", 1))
	_, err := d.Exec(t.Context(), "PRAGMA query_only = 1") // fails what writes, as such a disk does
	require.NoError(t, err)
	require.NoError(t, l.Save(rec("id", 2)))
	requireBroken(t, l.Settle(t.Context()), "it can't be written any more: see its permissions, and whether its disk is mounted for writing")
}

// A file that opens and is damaged further on gets the advice that one gets which does not open.
func TestFileThatIsHalfDamaged(t *testing.T) {
	path := newPath(t)
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	l := d.Ledger("data", "id")
	for i := range 200 {
		require.NoError(t, l.Save(rec("id", i, "v", strings.Repeat("x", 1000))))
	}
	require.NoError(t, l.Settle(t.Context()))
	require.NoError(t, d.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 3 * 4096; i < len(text); i++ {
		text[i] = 0xAA
	}
	require.NoError(t, os.WriteFile(path, text, 0o600))

	const advice = "it is damaged: move it away, or bring back a copy"
	d = open(t, path, db.Options{})
	for _, err = range d.Query(t.Context(), "SELECT sum(length(v)) FROM data") {
	}
	requireBroken(t, err, advice)
	l = d.Ledger("data", "id")
	for i := range 200 {
		require.NoError(t, l.Save(rec("id", i)))
	}
	requireBroken(t, l.Settle(t.Context()), advice)
	_, err = d.Exec(t.Context(), "VACUUM")
	requireBroken(t, err, advice)
	r, err := db.OpenReader(t.Context(), path)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	for _, err = range r.Query(t.Context(), "SELECT sum(length(v)) FROM data") {
	}
	requireBroken(t, err, advice)
}
