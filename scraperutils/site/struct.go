package site

import (
	"context"
	"errors"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// SaveStruct hands a struct on as a record, by the tags of its fields: see scraperutils.RecordOf. One with a value that no column holds
// is rejected, by its first field; a struct that can't be a record is an error.
func (v *Visit) SaveStruct(ctx context.Context, from any) error {
	record, err := scraperutils.RecordOf(from)
	var bad *scraperutils.UnprocessableRecord
	switch {
	case err == nil:
		return v.Save(ctx, record)
	case !errors.As(err, &bad):
		return err
	case len(record) > 0:
		return v.Reject(ctx, record.Text(record[0].Name), err)
	default:
		return v.Reject(ctx, "", err)
	}
}
