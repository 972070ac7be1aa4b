package register

import (
	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/scraperutils/site/tables"
)

// What a register's tables are read with.
type (
	Meaning    = tables.Meaning
	Vocabulary = tables.Vocabulary
	Columns    = tables.Columns
	Table      = tables.Table
	Row        = tables.Row
	Cell       = tables.Cell
)

// The meanings that most platforms share.
const (
	Reference   Meaning = "council_reference"
	Address     Meaning = "address"
	Description Meaning = "description"
	Received    Meaning = "date_received"
)

// NewVocabulary is tables.NewVocabulary.
func NewVocabulary(names map[Meaning][]string) Vocabulary { return tables.NewVocabulary(names) }

// ReadTable is tables.Read.
func ReadTable(table *goquery.Selection) Table { return tables.Read(table) }

// ReadPairs is tables.ReadPairs.
func ReadPairs(table *goquery.Selection) (names []string, values Row) { return tables.ReadPairs(table) }
