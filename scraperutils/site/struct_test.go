package site_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// told is a sink that keeps what it is told.
type told struct {
	saved    []scraperutils.Record
	rejected []string
}

func (s *told) Save(_ context.Context, r scraperutils.Record) error {
	s.saved = append(s.saved, r)
	return nil
}

func (s *told) Reject(_ context.Context, reference string, why error) error {
	s.rejected = append(s.rejected, reference+": "+why.Error())
	return nil
}

func (s *told) Skip(context.Context, string, string) {}

func TestSaveStruct(t *testing.T) {
	type item struct {
		ID    string  `field:"id"`
		Price float64 `field:"price"`
	}
	sink := &told{}
	v := &site.Visit{Sink: sink}
	require.NoError(t, v.SaveStruct(t.Context(), item{"a", 4.5}))
	assert.Equal(t, []scraperutils.Record{{{Name: "id", Value: "a"}, {Name: "price", Value: 4.5}}}, sink.saved)

	require.NoError(t, v.SaveStruct(t.Context(), item{"b", math.NaN()}))
	require.NoError(t, v.SaveStruct(t.Context(), struct {
		Price float64 `field:"price"`
	}{math.Inf(1)}))
	require.Len(t, sink.rejected, 2)
	assert.Regexp(t, "^b: .*price: NaN is no number", sink.rejected[0])
	assert.Regexp(t, "^: .*price: \\+Inf is no number", sink.rejected[1])

	require.ErrorContains(t, v.SaveStruct(t.Context(), struct{ ID string }{"c"}), "field ID: expected a tag")
	assert.Len(t, sink.saved, 1)
}
