package db_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

// Whatever is the matter with the path, one line says what to do.
func TestPathsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	damaged := filepath.Join(dir, "damaged.sqlite")
	run(t, another(t, damaged), "CREATE TABLE data (id)")
	text, err := os.ReadFile(damaged)
	require.NoError(t, err)
	copy(text[100:], make([]byte, 400))
	require.NoError(t, os.WriteFile(damaged, text, 0o600))

	for name, c := range map[string]struct {
		path, want string
		writing    string // in place of want where only writing differs
	}{
		"empty":                     {"", `open database "": the name is empty: give the path of a file, such as data.sqlite`, ""},
		"a directory":               {dir, `it is a directory: give the path of a file, such as ` + filepath.Join(dir, "data.sqlite"), ""},
		"no database":               {file("notes.txt", "Buy milk.\n"), `it is not an SQLite database: give another path, or move that file away`, ""},
		"no database, long":         {file("long.txt", string(make([]byte, 9000))), `it is not an SQLite database: give another path`, ""},
		"a damaged database":        {damaged, "it is damaged: move it away, or bring back a copy", ""},
		"in a directory not there":  {filepath.Join(dir, "no", "data.sqlite"), `there is no such file`, `there is no directory ` + filepath.Join(dir, "no") + `: create it`},
		"in a file":                 {filepath.Join(file("plain", ""), "data.sqlite"), `there is no directory ` + filepath.Join(dir, "plain"), ""},
		"where nobody may write":    {"/sys/data.sqlite", `there is no such file`, `the system refuses it: give a path that this user may read and write, or change the permissions`},
		"a name that is too long":   {filepath.Join(dir, string(make([]byte, 300))), `the system refuses it`, ""},
		"reading what is not there": {filepath.Join(dir, "none.sqlite"), `there is no such file: give the path of a database`, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.path == "/sys/data.sqlite" && runtime.GOOS != "linux" {
				t.Skip("/sys is Linux's")
			}
			_, err := db.OpenReader(t.Context(), c.path)
			check := func(want string) {
				var refused *db.OpenError
				require.ErrorAs(t, err, &refused)
				assert.ErrorContains(t, err, want)
				assert.NotContains(t, err.Error(), "\n")
			}
			check(c.want)
			if c.writing == "-" {
				return
			}
			if c.writing != "" {
				c.want = c.writing
			}
			_, err = db.Open(t.Context(), c.path, db.Options{})
			check(c.want)
		})
	}
}

// A path names a file, whatever characters it has: none is taken for an option of SQLite's.
func TestPathsThatAreTakenAsTheyAre(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"data.sqlite", "my data.sqlite", ":memory:", "file:x.sqlite", "a?mode=memory", "b%20c", "d#e", "f&_query_only=1", "café"} {
		t.Run(path, func(t *testing.T) {
			save(t, open(t, path, db.Options{}).Ledger("data", "id"), rec("id", 1))
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Positive(t, info.Size())
			r, err := db.OpenReader(t.Context(), path)
			require.NoError(t, err)
			var ids []string
			for row, err := range r.Query(t.Context(), "SELECT id FROM data") {
				require.NoError(t, err)
				ids = append(ids, row.Text("id"))
			}
			assert.Equal(t, []string{"1"}, ids, "it is this file that has the record")
			require.NoError(t, r.Close())
		})
	}
}

func TestSecondProcessIsToldWhoWrites(t *testing.T) {
	path := newPath(t)
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link.sqlite")
	require.NoError(t, os.Symlink(path, link))

	for _, name := range []string{path, link} {
		_, err = db.Open(t.Context(), name, db.Options{})
		var locked *db.LockedError
		require.ErrorAs(t, err, &locked)
		assert.Equal(t, os.Getpid(), locked.PID)
		assert.WithinDuration(t, time.Now(), locked.Since, time.Minute)
		assert.Contains(t, locked.Command, filepath.Base(os.Args[0]))
		assert.ErrorContains(t, err, "is in use by process "+strconv.Itoa(os.Getpid())+" since ")
	}
	r, err := db.OpenReader(t.Context(), path)
	require.NoError(t, err, "reading needs no lock")
	require.NoError(t, r.Close())

	require.NoError(t, os.WriteFile(path+".lock", []byte("pid 1 sin"), 0o600))
	_, err = db.Open(t.Context(), path, db.Options{})
	assert.ErrorContains(t, err, "is in use by another process: wait until it has ended", "the other may be writing its name")

	require.NoError(t, d.Close())
	assert.FileExists(t, path+".lock", "it stays")
	open(t, path, db.Options{})
}

// What is no file is refused at once.
func TestPathsThatAreNoFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Symlink("loop", at("loop")))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	for path, want := range map[string]string{
		"/dev/null": `open database "/dev/null": it is a device or a pipe: give the path of a file, such as data.sqlite`,
		"/dev/zero": "it is a device or a pipe",
		at("pipe"):  "it is a device or a pipe",
		at("loop"):  "the system refuses it",
		"a\x00b":    "the system refuses it",
	} {
		for _, open := range []func() error{
			func() error { _, err := db.Open(t.Context(), path, db.Options{}); return err },
			func() error { _, err := db.OpenReader(t.Context(), path); return err },
		} {
			var refused *db.OpenError
			err := open()
			require.ErrorAs(t, err, &refused, path)
			assert.ErrorContains(t, err, want)
		}
	}
}

// The journal and the lock of a file with two names stand beside one of them: it is only read.
func TestFileWithTwoNames(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	save(t, open(t, at("real"), db.Options{}).Ledger("data", "id"), rec("id", 1))
	require.NoError(t, os.Link(at("real"), at("hard")))
	require.NoError(t, os.Symlink(at("hard"), at("link to hard")))
	for _, name := range []string{"hard", "link to hard"} {
		_, err := db.Open(t.Context(), at(name), db.Options{})
		var refused *db.OpenError
		require.ErrorAs(t, err, &refused, name)
		assert.ErrorContains(t, err, "the file has 2 names (hard links), and SQLite knows of one: remove the others, or make this one a copy")
		r, err := db.OpenReader(t.Context(), at(name))
		require.NoError(t, err, name)
		require.NoError(t, r.Close())
	}
}

// A link to a database that is still to be made leads to the same lock as the database does.
func TestLinkToWhatIsNotThereYet(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Symlink("second", at("first")))
	require.NoError(t, os.Symlink("data.sqlite", at("second")))
	open(t, at("first"), db.Options{})
	assert.FileExists(t, at("data.sqlite.lock"))
	_, err := db.Open(t.Context(), at("data.sqlite"), db.Options{})
	var locked *db.LockedError
	assert.ErrorAs(t, err, &locked)
}

// What SQLite or the lock needs beside the database, and can't have, is told before anything runs.
func TestFilesBesideTheDatabase(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"the lock is a directory":    {func(path string) error { return os.Mkdir(path+".lock", 0o700) }, ".lock is no ordinary file: remove it"},
		"the lock is a pipe":         {func(path string) error { return syscall.Mkfifo(path+".lock", 0o600) }, ".lock is no ordinary file: remove it"},
		"the lock is a link":         {func(path string) error { return os.Symlink(path+".precious", path+".lock") }, ".lock is no ordinary file: remove it"},
		"the journal is a directory": {func(path string) error { return os.Mkdir(path+"-journal", 0o700) }, "the system refuses it"},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			require.NoError(t, c.make(path))
			_, err := db.Open(t.Context(), path, db.Options{})
			var refused *db.OpenError
			require.ErrorAs(t, err, &refused)
			assert.ErrorContains(t, err, c.want)
			assert.NoFileExists(t, path+".precious")
		})
	}
}

// A failed Open leaves the lock to others.
func TestFailedOpenFreesTheLock(t *testing.T) {
	path := newPath(t)
	require.NoError(t, os.WriteFile(path, []byte("no database"), 0o600))
	_, err := db.Open(t.Context(), path, db.Options{})
	require.Error(t, err)
	require.NoError(t, os.Remove(path))
	open(t, path, db.Options{})
}

// What is open in another program, or may be read only, is no place to save to: that is told before anything runs.
func TestFilesThatCannotBeWritten(t *testing.T) {
	path := newPath(t)
	other := another(t, path)
	run(t, other, "CREATE TABLE data (id UNIQUE)", "BEGIN IMMEDIATE")
	_, err := db.Open(t.Context(), path, db.Options{BusyTimeout: time.Millisecond})
	assert.ErrorContains(t, err, "another program keeps it locked: end that program, then try again")
	run(t, other, "COMMIT")

	require.NoError(t, os.Chmod(path, 0o400))
	if os.Geteuid() == 0 {
		t.Skip("root may write to any file")
	}
	_, err = db.Open(t.Context(), path, db.Options{})
	assert.ErrorContains(t, err, "the system refuses it: give a path that this user may read and write, or change the permissions")
}

// The file of a process that was killed within a commit has a journal beside it. Who opens the file undoes what is half
// written, even to read it.
func TestJournalOfAKilledProcess(t *testing.T) {
	killed := newPath(t)
	other := another(t, killed)
	run(t, other, "CREATE TABLE data (id UNIQUE, v)", "INSERT INTO data VALUES (1, 'committed')",
		"PRAGMA cache_size = 1", "BEGIN", "UPDATE data SET v = 'half written'",
		"WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO data SELECT i, randomblob(1000) FROM n")
	left := func() string {
		path := newPath(t)
		for _, suffix := range []string{"", "-journal"} {
			text, err := os.ReadFile(killed + suffix)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path+suffix, text, 0o600))
		}
		return path
	}
	want := []record{rec("id", int64(1), "v", "committed")}
	d := open(t, left(), db.Options{})
	assert.Equal(t, want, query(t, d, "SELECT * FROM data"))
	save(t, d.Ledger("data", "id"), rec("id", 2))

	r, err := db.OpenReader(t.Context(), left())
	require.NoError(t, err)
	for row, err := range r.Query(t.Context(), "SELECT * FROM data") {
		require.NoError(t, err)
		assert.Equal(t, want[0], row)
	}
	require.NoError(t, r.Close())
}

func TestJournalIsOneThatGoes(t *testing.T) {
	path := newPath(t)
	other := another(t, path)
	run(t, other, "PRAGMA journal_mode=WAL", "CREATE TABLE data (id UNIQUE)")
	_, err := db.Open(t.Context(), path, db.Options{BusyTimeout: time.Millisecond})
	assert.ErrorContains(t, err, "another program keeps it locked: end that program, then try again")
	require.NoError(t, other.Raw(func(c any) error { return c.(interface{ Close() error }).Close() }))

	d := open(t, path, db.Options{})
	assert.Equal(t, []record{rec("journal_mode", "delete")}, query(t, d, "PRAGMA journal_mode"))
	save(t, d.Ledger("data", "id"), rec("id", 1))
	assert.NoFileExists(t, path+"-wal")
}
