package masterview_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/authorities/masterview"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

func TestOptions(t *testing.T) {
	var o masterview.Options
	require.NoError(t, yaml.Unmarshal([]byte(`{use_api: true, types: [16, 9], page_size: 10, long_council_reference: true, force_detail: true, params: {z: 010, "4a": &v "a%27,'b'", 6: F, e: , n: null, y: *v}}`), &o))
	assert.Equal(t, masterview.Options{
		UseAPI: true, Types: []string{"16", "9"}, PageSize: 10, LongCouncilReference: true, ForceDetail: true,
		Params: masterview.Params{{Name: "z", Value: "010"}, {Name: "4a", Value: "a%27,'b'"}, {Name: "6", Value: "F"}, {Name: "e"}, {Name: "n"}, {Name: "y", Value: "a%27,'b'"}},
	}, o)
	assert.Equal(t, "z=010&4a=a%27,'b'&6=F&e=&n=&y=a%27,'b'", o.Params.String())

	var asJSON masterview.Options
	require.NoError(t, yaml.Unmarshal([]byte(`{"params": {"4a": 10, "6": "F"}, "types": null}`), &asJSON))
	assert.Equal(t, "4a=10&6=F", asJSON.Params.String())
}

func TestBadOptions(t *testing.T) {
	for text, want := range map[string]string{
		"params: [1]":            "params: expected names and values such as {4a: DA, 6: F}",
		"params: {4a: [DA, CC]}": "params: 4a: expected text or a number",
		"params: {[a]: b}":       "expected text or a number",
	} {
		var o masterview.Options
		assert.ErrorContains(t, yaml.Unmarshal([]byte(text), &o), want, text)
	}
	_, err := masterview.New(site.Site{}, masterview.Options{PageSize: -1})
	var config *scraperutils.ConfigError
	require.ErrorAs(t, err, &config)
	assert.EqualError(t, err, `page_size: can't use "-1": expected a number of applications, such as 100`)
}
