package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// inTemp returns a path for an example and what removes it.
func inTemp() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	return filepath.Join(dir, "data.sqlite"), func() { _ = os.RemoveAll(dir) }
}

func ExampleOpen() {
	path, remove := inTemp()
	defer remove()
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = d.Close() }()

	_, err = db.Open(context.Background(), path, db.Options{})
	var locked *db.LockedError
	fmt.Println(errors.As(err, &locked), locked.PID == os.Getpid())
	// Output: true true
}

func ExampleLedger() {
	path, remove := inTemp()
	defer remove()
	ctx := context.Background()
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = d.Close() }()

	kyogle := d.Ledger("data", "authority_label", "council_reference")
	for _, address := range []string{"1 Main St", "1 Main Street"} { // the second replaces the first
		err := kyogle.Save(scraperutils.Record{
			{Name: "authority_label", Value: "kyogle"},
			{Name: "council_reference", Value: "DA 12"},
			{Name: "address", Value: address},
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(kyogle.Save(scraperutils.Record{{Name: "authority_label", Value: "kyogle"}}))
	if err := kyogle.Settle(ctx); err != nil {
		fmt.Println(err)
	}
	for r, err := range d.Query(ctx, "SELECT council_reference, address FROM data") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Text("council_reference"), "at", r.Text("address"))
	}
	// Output:
	// Data has nil value for unique key. Unique keys are ["authority_label", "council_reference"]. Offending data: {"authority_label":"kyogle"}
	// DA 12 at 1 Main Street
}

func ExampleDB_Exec() {
	path, remove := inTemp()
	defer remove()
	ctx := context.Background()
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = d.Close() }()

	l := d.Ledger("data", "id")
	for _, scraped := range []string{"2025-03-01", "2025-05-01"} {
		if err := l.Save(scraperutils.Record{{Name: "id", Value: scraped}, {Name: "date_scraped", Value: scraped}}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(d.Exec(ctx, "DELETE FROM data WHERE date_scraped < ?", "2025-04-01"))
	// Output: 1 <nil>
}

func ExampleOpenReader() {
	_, err := db.OpenReader(context.Background(), "/nowhere/data.sqlite")
	fmt.Println(err)
	// Output: open database "/nowhere/data.sqlite": there is no such file: give the path of a database
}
