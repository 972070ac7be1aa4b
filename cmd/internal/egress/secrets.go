package egress

import (
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/secret"
)

// Secrets is what must never be written of a site: how the proxy knows us, and how the site does.
func (n *Network) Secrets(s Site) *secret.Set { return secret.New(n.secrets(s)...) }

func (n *Network) secrets(s Site) (all []string) {
	if n.config.Proxy != nil {
		all = secret.User(n.config.Proxy.User)
	}
	if u, err := url.Parse(s.URL); err == nil {
		all = append(all, secret.User(u.User)...)
	}
	return all
}

// Plain is an error without user information and these secrets, of the same kind.
func Plain(err error, secrets *secret.Set) error {
	return scraperutils.Reword(err, func(text string) string {
		return secrets.Hide(scraperutils.WithoutUser(text), "<REDACTED>")
	})
}
