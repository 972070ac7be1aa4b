package validate

import (
	"context"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// The parts of a Checker are tried one by one.
var (
	AuthorityLabel   = authorityLabel
	DefaultSettings  = defaultSettings
	Keys             = settingKeys
	Placeholder      = isPlaceholder
	Reasonable       = isReasonable
	Sampled          = sampled
	UniqueReferences = uniqueReferences
)

const ConfigFile = configFile

type Sample = sample

func (r AddressRule) Geocodable(address string) bool { return r.geocodable(address) }

func (p Page) BotProtected() bool { return p.botProtected() }

func (c *Checker) Addresses(records []scraperutils.Record) (int, error) { return c.addresses(records) }

func (c *Checker) Descriptions(records []scraperutils.Record) (int, error) {
	return c.descriptions(records)
}

func (c *Checker) Details(samples []Sample) error { return c.checkDetails(samples) }

func (c *Checker) InfoURLs(ctx context.Context, records []scraperutils.Record) ([]Sample, error) {
	return c.infoURLs(ctx, records)
}

func (c *Checker) OneInfoURL(ctx context.Context, records []scraperutils.Record, page string) error {
	return c.oneInfoURL(ctx, records, page)
}
