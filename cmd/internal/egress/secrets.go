package egress

import (
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/secret"
)

// Secrets returns what must never be written down for a site: the credentials for the proxy and for the site.
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

// Plain returns an error of the same kind without user information and without these secrets.
func Plain(err error, secrets *secret.Set) error {
	return scraperutils.Reword(err, func(text string) string {
		return secrets.Hide(scraperutils.WithoutUser(text), "<REDACTED>")
	})
}
