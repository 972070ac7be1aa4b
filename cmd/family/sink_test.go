package family

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// What a page says reaches the tables without what a terminal or a browser would obey.
func TestTablesHoldCleanText(t *testing.T) {
	t.Parallel()
	got, path := scrapeWith(t, t.Context(), &runCommand{family: councils}, defaults(t), map[string]scraperFunc{"a": func(ctx context.Context, v *site.Visit) error {
		a := application(1)
		a.Reference, a.Description = "DA\x1b[2J\r\n1", "Shed\u202e\x07"
		return errors.Join(register.Save(ctx, v, a), v.Reject(ctx, "DA\x7f2", errors.New("no date in \x1b]0;x\x07")))
	}})
	assert.Equal(t, cli.ExitOK, got.code, got.stdout)
	assert.Equal(t, []map[string]string{{"council_reference": "DA[2J 1", "description": "Shed"}}, rows(t, path, "SELECT council_reference, description FROM data"))
	assert.Equal(t, []map[string]string{{"council_reference": "DA2", "reason": "no date in ]0;x", "record": `{"authority_label":"a","council_reference":"DA2"}`}},
		rows(t, path, "SELECT council_reference, reason, record FROM rejected"))
}
