package family

import (
	"errors"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// retryable reports whether another attempt may help. What says of itself that it is useless, and a site that keeps crawlers
// out, does not get one.
func retryable(o runlog.Outcome) bool {
	if o.Err == nil {
		return false
	}
	switch o.Class {
	case scraperutils.ClassRobots, scraperutils.ClassBlocked, scraperutils.ClassQuality, scraperutils.ClassRunTimeout, scraperutils.ClassStuck:
		return false
	}
	var (
		site   *scraperutils.UnprocessableSite
		config *scraperutils.ConfigError
	)
	return !errors.As(o.Err, &site) && !errors.As(o.Err, &config)
}
