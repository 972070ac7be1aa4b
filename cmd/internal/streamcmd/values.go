package streamcmd

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// errValue is a value that a setting can't have.
var errValue = errors.New("can't be read")

const startKinds = "TRIM_HORIZON, LATEST, AT_TIMESTAMP or AFTER_SEQUENCE_NUMBER"

var startKind = cli.OneOf(string(stream.Horizon), string(stream.Latest), string(stream.AtTime), string(stream.After))

// matching returns a parser of texts of a form.
func matching(form string) func(string) (string, error) {
	pattern := regexp.MustCompile(`^(?:` + form + `)$`)
	return func(s string) (string, error) {
		if !pattern.MatchString(s) {
			return "", errValue
		}
		return s, nil
	}
}

var (
	streamName = matching(`[A-Za-z0-9_.-]{1,128}`)
	tableName  = matching(`[A-Za-z0-9_.-]{3,255}`)
	region     = matching(`[a-z0-9]+(-[a-z0-9]+)*`)
	shardText  = matching(`[A-Za-z0-9_.-]{1,128}`)
)

// shardName reads the name of a shard, or its number alone.
func shardName(s string) (string, error) {
	if n, err := strconv.ParseUint(s, 10, 40); err == nil {
		return fmt.Sprintf("shardId-%012d", n), nil
	}
	return shardText(s)
}

// endpoint reads the URL of a server. Credentials have no place in it.
func endpoint(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errValue
	}
	if port := u.Port(); port != "" {
		if _, err := cli.Whole(1, 65535)(port); err != nil {
			return "", err
		}
	}
	return s, nil
}

// lease reads how long a shard is leased.
func lease(s string) (time.Duration, error) {
	d, err := cli.Timeout(time.Hour)(s)
	if err == nil && d < time.Second {
		return 0, errValue
	}
	return d, err
}

// crawlPlace reads where a frontier is.
func crawlPlace(s string) (string, error) {
	if postgres.IsURL(s) {
		return s, postgres.Check(s)
	}
	return s, nil
}
