package family

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/workers"
)

// maxWorkers is how many workers a server asks.
const maxWorkers = 100

// workers is who asks the workers elsewhere; nil: there are none.
func (s *serveCommand) workers() (*workers.Watcher, error) {
	token, err := readToken("--also-token-file", s.AlsoToken)
	switch {
	case err != nil:
		return nil, err
	case len(s.Also) == 0 && token != "":
		return nil, &scraperutils.ConfigError{Name: "--also-token-file", Value: s.AlsoToken, Accepted: "--also beside it"}
	case len(s.Also) == 0:
		return nil, nil
	case len(s.Also) > maxWorkers:
		return nil, &scraperutils.ConfigError{Name: "--also", Value: fmt.Sprint(len(s.Also), " of them"), Accepted: fmt.Sprint(maxWorkers, " at most")}
	}
	var addresses []*url.URL
	for i, text := range s.Also {
		address, err := workers.Address(text)
		if err != nil || slices.Contains(s.Also[:i], text) {
			return nil, &scraperutils.ConfigError{
				Name: "--also", Value: scraperutils.WithoutUser(text), Accepted: "http://HOST:PORT or https://…, once each, without user, query and fragment; a token belongs into --also-token-file",
			}
		}
		addresses = append(addresses, address)
	}
	return workers.New(addresses, token), nil
}

// readToken reads the token in the file that a flag names, or "" where it names none.
func readToken(flag, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := scraperutils.ReadFile(file, maxToken)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	token, err := cli.Token(strings.TrimSpace(string(text)))
	if err != nil {
		return "", &scraperutils.ConfigError{Name: flag, Value: file, Accepted: "a file with one line of at least 16 letters, digits or signs"}
	}
	return token, nil
}
