package crawlcmd

import (
	"errors"
	"math"
	"mime"
	"net/url"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// errValue is a value that a setting can't have.
var errValue = errors.New("can't be read")

// retries reads how many tries follow the first; none is below zero for crawl.Rules.
func retries(s string) (int, error) {
	n, err := cli.Whole(0, 1000)(s)
	if err == nil && n == 0 {
		n = -1
	}
	return n, err
}

// lease reads how long a host is leased.
func lease(s string) (time.Duration, error) {
	d, err := cli.Timeout(time.Hour)(s)
	if err == nil && d < time.Second {
		return 0, errValue
	}
	return d, err
}

// mediaTypes reads patterns such as text/*. Any type is "*".
func mediaTypes(s string) (all []string, err error) {
	for one := range strings.SplitSeq(s, ",") {
		one = strings.ToLower(strings.TrimSpace(one))
		major, minor, ok := strings.Cut(one, "/")
		switch {
		case one == "":
		case one == "*" || one == "*/*":
			all = append(all, "*")
		case !ok || major == "" || minor == "" || strings.Contains(major, "*") || strings.Contains(strings.TrimSuffix(minor, "*"), "*"):
			return nil, errValue
		default:
			if t, parameters, err := mime.ParseMediaType(strings.TrimSuffix(one, "*") + "x"); err != nil || len(parameters) > 0 || t == "" {
				return nil, errValue
			}
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return nil, errValue
	}
	return all, nil
}

// size returns a parser of bytes, with units of 1024.
func size(most int) func(string) (int, error) {
	units := []struct {
		name  string
		bytes float64
	}{{"gb", 1 << 30}, {"mb", 1 << 20}, {"kb", 1 << 10}, {"b", 1}, {"", 1}}
	return func(s string) (int, error) {
		s = strings.ToLower(strings.ReplaceAll(s, "ib", "b"))
		for _, u := range units {
			number, ok := strings.CutSuffix(s, u.name)
			if !ok {
				continue
			}
			n, err := cli.Number(0, float64(most))(strings.TrimSpace(number))
			if n *= u.bytes; err != nil || n < 1 || n > float64(most) {
				return 0, errValue
			}
			return int(math.Ceil(n)), nil
		}
		return 0, errValue
	}
}

// proxy reads a proxy's URL, or host and port of one.
func proxy(s string) (*url.URL, error) {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	return cli.Proxy(s)
}

// route is where a broker sends a message.
type route struct {
	exchange, key string
	given         bool
}

// parseRoute reads EXCHANGE/KEY.
func parseRoute(s string) (route, error) {
	exchange, key, ok := strings.Cut(s, "/")
	if !ok || exchange == "" && key == "" || len(exchange) > 255 || len(key) > 255 {
		return route{}, errValue
	}
	return route{exchange, key, true}, nil
}

// check returns what settings lack beside each other.
func (s settings) check() error {
	refuse := func(name, value, accepted string) error {
		return &scraperutils.ConfigError{Name: name, Value: value, Accepted: accepted}
	}
	switch {
	case s.out.given && s.amqp == "":
		return refuse("--out", s.out.exchange+"/"+s.out.key, "--amqp beside it")
	case s.queue != "" && s.amqp == "":
		return refuse("--from-amqp", s.queue, "--amqp beside it")
	case s.amqp != "" && !s.out.given && s.queue == "":
		return refuse("--amqp", "(not shown)", "--out or --from-amqp beside it")
	case s.listen != "" && s.token == "" && !cli.OnLoopback(s.listen):
		return refuse("--listen", s.listen, "an address on loopback, such as localhost:8080, or --listen-token beside it")
	case s.listen == "" && s.token != "":
		return refuse("--listen-token", "(not shown)", "--listen beside it")
	}
	return nil
}
