package family

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// serveCommand is scrape serve.
type serveCommand struct {
	family *Family

	DB        string   `name:"db" help:"Read the database that runs write (default: ${default})." default:"data.sqlite" type:"path" placeholder:"FILE"`
	Listen    string   `help:"Serve at this address (default: ${default}). An address that others can reach needs --token-file." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	TokenFile string   `help:"Require the token in this file, as the password that a browser asks for or as a bearer token." type:"path" placeholder:"FILE"`
	Rows      []string `help:"Read more ${sites} from these files." type:"path" placeholder:"FILE"`
}

const (
	answerTime = time.Minute // that an answer may take, but for events
	maxToken   = 4 << 10     // bytes of a token's file
)

func (s *serveCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	token, err := s.token()
	if err != nil {
		return cli.ExitUsage, err
	}
	if _, err := cli.ListenAddress(s.Listen); err != nil {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--listen", Value: s.Listen, Accepted: "HOST:PORT, where HOST is an IP address or localhost"}
	}
	if token == "" && !cli.OnLoopback(s.Listen) {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--listen", Value: s.Listen, Accepted: "an address of loopback, or --token-file beside it"}
	}
	known, err := registry.Load(s.family.Registry, s.Rows...)
	if err != nil {
		return cli.ExitUsage, err
	}
	sites := sitesOf(known)
	listener, err := cli.Listen(s.Listen, "", answerTime, board.New(board.Config{
		Read: func(ctx context.Context) (*report.Overview, error) {
			return s.family.readOverview(ctx, s.DB, "", sites)
		},
		Recordings: recordingsOf,
		Token:      token,
	}))
	if err != nil {
		return cli.ExitUsage, err
	}
	fmt.Fprintf(c.Stdout, "http://%s/ shows %s\n", listener.Address(), s.DB)
	<-ctx.Done()
	code, _ := cli.ExitCode(context.Cause(ctx), false)
	return code, listener.Close()
}

// token is what readers must know, or "".
func (s *serveCommand) token() (string, error) {
	if s.TokenFile == "" {
		return "", nil
	}
	text, err := scraperutils.ReadFile(s.TokenFile, maxToken)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token, err := cli.Token(strings.TrimSpace(string(text)))
	if err != nil {
		return "", &scraperutils.ConfigError{Name: "--token-file", Value: s.TokenFile, Accepted: "a file with one line of at least 16 letters, digits or signs"}
	}
	return token, nil
}

// readOverview reads what a database says of a run, or of the last one for "".
func (f *Family) readOverview(ctx context.Context, path, run string, sites map[string]report.Site) (*report.Overview, error) {
	reader, err := db.OpenReader(ctx, path)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return report.Read(ctx, reader, report.View{Database: path, Now: time.Now(), Run: run, Process: db.Holder(path), Sites: sites, Terms: f.terms()})
}
