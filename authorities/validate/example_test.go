package validate_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/scraperutils"
)

func ExampleRecord() {
	err := validate.Record(scraperutils.Record{
		{Name: "council_reference", Value: "DA 12"},
		{Name: "address", Value: ""},
		{Name: "description", Value: "New shed"},
		{Name: "info_url", Value: "https://council.example/12"},
		{Name: "date_scraped", Value: "2025-05-07"},
		{Name: "date_received", Value: "2025-05-08"},
	}, time.Date(2025, 5, 7, 0, 0, 0, 0, time.UTC))
	fmt.Println(err)
	// Output: address can't be blank; Invalid date for date_received: "2025-05-08" is in the future
}

func ExampleAddressRule_Geocodable() {
	var rule validate.AddressRule
	fmt.Println(rule.Geocodable("1 Main St, KYOGLE NSW"))
	fmt.Println(rule.Geocodable("Lot 12 Kyogle"))
	// Output:
	// true
	// false
}

func ExamplePlaceholder() {
	fmt.Println(validate.Placeholder("To be confirmed"))
	// Output: true
}

func ExampleReasonable() {
	fmt.Println(validate.Reasonable("New shed"), validate.Reasonable("See plans"))
	// Output: true false
}

func ExampleReadSettings() {
	settings, from, err := validate.ReadSettings(os.TempDir()+"/nothing/here", "")
	fmt.Printf("%q %v %v\n", from, settings.Geocodable, err)
	// Output: "" {50 3} <nil>
}

func ExampleSettings_Set() {
	settings := validate.DefaultSettings()
	fmt.Println(settings.Set("geocodable_percentage", "all"))
	// Output: geocodable_percentage: can't use "all": expected a percentage from 0 to 100
}

func ExampleUniqueReferences() {
	fmt.Println(validate.UniqueReferences([]scraperutils.Record{
		{{Name: "authority_label", Value: "kyogle"}, {Name: "council_reference", Value: "DA 12"}},
		{{Name: "authority_label", Value: "kyogle"}, {Name: "council_reference", Value: "da 12"}},
	}))
	// Output: Duplicate authority labels: ["kyogle", "da 12"]
}

func ExampleAuthorityLabel() {
	label, err := validate.AuthorityLabel([]scraperutils.Record{{{Name: "authority_label", Value: "kyogle"}}}, "", "_info_urls")
	fmt.Println(label, err)
	// Output: kyogle_info_urls <nil>
}

func ExampleChecker_Check() {
	page := `<h1>DA 12</h1> 1 Main St, KYOGLE NSW 2474: New shed`
	checker := validate.Checker{
		Settings: validate.DefaultSettings(),
		Fetch: func(context.Context, string) (validate.Page, error) {
			return validate.Page{Status: 200, Body: page}, nil
		},
		Out: os.Stdout,
	}
	err := checker.Check(context.Background(), []scraperutils.Record{{
		{Name: "council_reference", Value: "DA 12"},
		{Name: "address", Value: "1 Main St, KYOGLE NSW 2474"},
		{Name: "description", Value: "New shed"},
		{Name: "info_url", Value: "https://council.example/12"},
	}})
	fmt.Println(err)
	// Output:
	// Validating 1 record from data.sqlite...
	//
	// Found 1 out of 1 unique geocodable addresses (100.0%)
	// Found 1 out of 1 unique reasonable descriptions (100.0%)
	// Checking info_url[0]: https://council.example/12
	// 100.0% info_url checks passed (0/1 failed)!
	// Checking info_url[0]: https://council.example/12 has the expected reference, address and description
	// 100.0% detail checks passed (0/3 failed)!
	// <nil>
}
