package tables_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/multiscraper/multiscraper/scraperutils/site/tables"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

func ExampleFind() {
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<table><tr><th>Item</th><th>Sold by</th><th>RETAIL PRICE:</th></tr><tr><td>Bread</td><td>Mill</td><td>$4.50</td></tr></table>`)
	}))
	defer shop.Close()
	page, err := agent.New(agent.Config{}).Get(context.Background(), shop.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	words := tables.NewVocabulary(map[tables.Meaning][]string{
		"product": {"Product", "Item"},
		"price":   {"Price", "Retail price"},
	})
	table, err := tables.Find(page, words, "product", "price")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range table.Rows {
		fmt.Println(table.Text(row, "product"), table.Text(row, "price"))
	}
	// Output: Bread $4.50
}

func ExampleVocabulary_Columns() {
	words := tables.NewVocabulary(map[tables.Meaning][]string{"reference": {"Application Number"}})
	columns := words.Columns([]string{"Ward", "APPLICATION NUMBER:"})
	fmt.Println(columns.Text(tables.Row{{Text: "North"}, {Text: "DA/12"}}, "reference"))
	// Output: DA/12
}
