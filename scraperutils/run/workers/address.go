package workers

import (
	"errors"
	"net/url"
)

// errAddress is an address that can't be a worker's.
var errAddress = errors.New("it must be http://HOST:PORT or https://…, without user, query and fragment")

// Address reads where a worker listens. User information is refused: it would end in logs and on pages.
func Address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, errAddress
	}
	return u, nil
}
