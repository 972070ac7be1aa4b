package cli

import (
	"errors"
	"net/url"
)

// Broker reads the URL of a broker.
func Broker(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "", errRange
	case u.Scheme != "amqp" && u.Scheme != "amqps":
		return "", errors.New("it must begin with amqp:// or amqps://")
	case u.Hostname() == "":
		return "", errors.New("it has no host")
	}
	return s, nil
}
