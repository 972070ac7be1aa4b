package streamcmd

import (
	"context"

	"github.com/multiscraper/multiscraper/scraperutils/stream/dynamo"
)

func openTable(ctx context.Context, s settings, create bool) (keeper, error) {
	t, err := dynamo.Open(ctx, dynamo.Options{Table: s.table, Stream: s.name, Region: s.region, Create: create})
	if err != nil {
		return nil, startUnlessOver(ctx, err)
	}
	return t, nil
}
