package family

import (
	"io"
	"net/http"
	"os"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// Family is what a program has to say of its sites. Name, Registry.Platforms and Table.Keys are needed.
type Family struct {
	Name      string // of the command, as people type it
	Version   string // of the program; "" is what the Go toolchain has written into the binary
	Variables string // what the names of its environment variables begin with, without the _; Name in capitals where it is ""

	Registry registry.Config // which sites there are, what they are called, and what reads them
	Table    Table           // where the records go

	// Check reports what is wrong with a record, as a *scraperutils.UnprocessableRecord; now is the real time whatever day is being
	// scraped. Any record is good where it is nil.
	Check func(r scraperutils.Record, now time.Time) error

	Searches bool           // platforms search by Visit.Spans or site.Choice: there are settings for the days
	Zone     *time.Location // whose date is a run's; nil is UTC

	UserAgent string // "" is the project's own; TODAY becomes the date
	Proxy     Proxy  // for the sites whose rows ask for it

	BuiltIn BuiltIn // sites on loopback for --fixtures; nil is none, and no such flag
	New     New     // what the subcommand new knows of the platforms
	Help    Help    // examples in the help

	// Commands returns further subcommands: pointers to structs as kong reads them, whose fields are Commands. Nil is none.
	Commands func() []any
}

// Console is where a command reads its environment and writes to.
type Console = cli.Console

// Command is what a further subcommand does. Its error is printed, and may raise the exit code.
type Command = cli.Command

// Table is where the records of a family go.
type Table struct {
	Name  string   // "data" where it is ""
	Label string   // the column of the site's label; what a site is called where it is ""
	Keys  []string // the fields that tell the records of one site apart
	Title []string // the fields that name a record in the log, the first of them one that no record lacks; Keys where it is nil
	Rows  string   // what records are called when old ones are dropped; "records" where it is ""

	// Day is the field with the day on which a record was scraped, as YYYY-MM-DD: records that no run has seen for 30 days are
	// dropped. Where it is "", none ever is.
	Day string
}

// Proxy is the proxy of a family.
type Proxy struct {
	Variable string      // that has its URL, without what all variables begin with; "PROXY" where it is ""
	For      string      // which sites need it, for help and warnings: "sites that answer …"
	Header   http.Header // of all requests through it
}

// Help is examples in the help of a command. What is "" has a default.
type Help struct {
	About    string // the description of the command
	Label    string // the label of a site
	Pattern  string // labels with a star
	NewLabel string // the label of a new site
	Option   string // an option of a platform: KEY=VALUE
	Source   string // what of a site is read: "register", "catalog"
	BuiltIn  string // the built-in sites: "library catalogs"
	AsOf     string // what goes by the day of a run
}

// Main runs the command line of the process and ends it.
func Main(f Family) { os.Exit(Run(f, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }

// Run runs a command line in an environment of NAME=value and returns the exit code. The process's signals end it.
func Run(f Family, args, environ []string, stdout, stderr io.Writer) int {
	return cli.Main(f.Name, args, environ, stdout, stderr, f.run)
}
