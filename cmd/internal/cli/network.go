package cli

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
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

// ListenAddress reads host:port.
func ListenAddress(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", err
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", errRange
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && host != "localhost" {
		return "", errRange
	}
	return s, nil
}

// OnLoopback reports whether nobody but this machine reaches an address.
func OnLoopback(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Token reads what callers must send.
func Token(s string) (string, error) {
	if len(s) < 16 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errRange
	}
	return s, nil
}
