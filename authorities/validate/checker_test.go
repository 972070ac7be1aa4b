package validate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// fetch gets pages from a server as they are, redirects too.
func fetch(ctx context.Context, url string) (validate.Page, error) {
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return validate.Page{}, err
	}
	response, err := client.Do(r)
	if err != nil {
		return validate.Page{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return validate.Page{Status: response.StatusCode, Body: string(body)}, err
}

// checker is one with the default settings, and what it writes.
func checker() (*validate.Checker, *bytes.Buffer) {
	var out bytes.Buffer
	return &validate.Checker{Settings: validate.DefaultSettings(), Fetch: fetch, Out: &out}, &out
}

// numbered returns so many good records, each its own, with their pages on a site.
func numbered(n int, council string) (records []scraperutils.Record) {
	for i := range n {
		records = append(records, good().
			With("council_reference", fmt.Sprintf("DA-2025/%d", i)).
			With("address", fmt.Sprintf("%d Test St, Town NSW 2000", i)).
			With("description", fmt.Sprintf("Shed number %d", i)).
			With("info_url", fmt.Sprintf("%s/%d", council, i)))
	}
	return records
}

// register serves the pages of records, each with the status that it has in codes instead of 200.
func register(t *testing.T, codes map[string]int) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := strings.TrimPrefix(r.URL.Path, "/")
		if code := codes[i]; code != 0 {
			w.WriteHeader(code)
		}
		_, _ = fmt.Fprintf(w, "<h1>DA-2025/%s</h1> %s Test St, Town NSW 2000: Shed number %s", i, i, i)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestCheckAGoodDatabase(t *testing.T) {
	council := register(t, nil)
	c, out := checker()
	require.NoError(t, c.Check(t.Context(), numbered(10, council.URL)))
	assert.Equal(t, strings.ReplaceAll(`Validating 10 records from data.sqlite...

Found 10 out of 10 unique geocodable addresses (100.0%)
Found 10 out of 10 unique reasonable descriptions (100.0%)
Checking info_url[0]: SITE/0
Checking info_url[1]: SITE/1
Checking info_url[2]: SITE/2
Checking info_url[3]: SITE/3
Checking info_url[5]: SITE/5
Checking info_url[8]: SITE/8
100.0% info_url checks passed (0/6 failed)!
Checking info_url[0]: SITE/0 has the expected reference, address and description
Checking info_url[1]: SITE/1 has the expected reference, address and description
Checking info_url[2]: SITE/2 has the expected reference, address and description
Checking info_url[3]: SITE/3 has the expected reference, address and description
Checking info_url[5]: SITE/5 has the expected reference, address and description
Checking info_url[8]: SITE/8 has the expected reference, address and description
100.0% detail checks passed (0/18 failed)!
`, "SITE", council.URL), out.String())
}

// Each check stops those behind it, and says why.
func TestCheckStopsAtTheFirstFailure(t *testing.T) {
	council := register(t, map[string]int{"0": 404, "1": 404, "2": 404, "3": 404, "5": 404, "8": 404})
	change := func(field string, value any) func([]scraperutils.Record) {
		return func(records []scraperutils.Record) {
			for i := range records {
				records[i] = records[i].With(field, value)
			}
		}
	}
	for _, c := range []struct {
		name, reason string
		change       func([]scraperutils.Record)
		lines        int
	}{
		{"addresses", "Expected at least 2.0 (50% - 3) geocodable addresses, got 0", change("address", "somewhere"), 3},
		{"addresses that are none", "Expected at least 2.0 (50% - 3) geocodable addresses, got 0", change("address", nil), 3},
		{"addresses all the same", "Expected at least 2.0 (50% - 3) geocodable addresses, got 1", change("address", "1 A St, TOWN NSW"), 3},
		{"descriptions", "Expected at least 2.0 (50% - 3) reasonable descriptions, got 0", change("description", "n/a"), 4},
		{"references", `Duplicate authority labels: [nil, "da1"]`, change("council_reference", "DA1"), 4},
		{"shared page", "Expected 200 response from the one expected info_url, got 404", change("info_url", council.URL+"/0"), 5},
		{"pages", "Too many failures: 0/5 passed (min required: 1)", func([]scraperutils.Record) {}, 14},
	} {
		t.Run(c.name, func(t *testing.T) {
			check, out := checker()
			records := numbered(10, council.URL)
			c.change(records)
			err := check.Check(t.Context(), records)
			var bad *scraperutils.UnprocessableSite
			require.ErrorAs(t, err, &bad)
			assert.EqualError(t, err, c.reason)
			assert.Equal(t, c.lines, strings.Count(out.String(), "\n"), "%s", out)
		})
	}
}

func TestCheckNothing(t *testing.T) {
	c, out := checker()
	err := c.Check(t.Context(), nil)
	require.ErrorIs(t, err, validate.ErrNoData)
	assert.EqualError(t, err, "No data found in database")
	assert.Empty(t, out.String())
}

// Bad pages that are few enough don't stop the look at the others.
func TestCheckBearsSomeBadPages(t *testing.T) {
	council := register(t, map[string]int{"0": 500, "2": 403})
	c, out := checker()
	require.NoError(t, c.Check(t.Context(), numbered(10, council.URL)))
	assert.Contains(t, out.String(), "80.0% info_url checks passed (1/5 failed)!\n")
	assert.Contains(t, out.String(), "100.0% detail checks passed (0/12 failed)!\n")
}

func TestCheckEndsWithItsContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for name, records := range map[string][]scraperutils.Record{
		"pages":       numbered(3, "http://127.0.0.1:1"),
		"shared page": {good(), good().With("council_reference", "DA2")},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := checker()
			c.Settings.Geocodable.Percentage = 0
			c.Settings.Description.Percentage = 0
			assert.Equal(t, cause, c.Check(ctx, records))
		})
	}
}

func TestThresholds(t *testing.T) {
	for _, c := range []struct {
		name                  string
		good, bad             int
		percentage, variation float64
		want                  string // of the error, or ""
	}{
		{"enough", 4, 6, 50, 3, ""},
		{"just enough", 2, 8, 50, 3, ""},
		{"too few", 1, 9, 50, 3, "Expected at least 2.0 (50% - 3) geocodable addresses, got 1"},
		{"at least one", 0, 2, 50, 3, "Expected at least 1 (50% - 3) geocodable addresses, got 0"},
		{"one by the percentage", 0, 8, 50, 3, "Expected at least 1.0 (50% - 3) geocodable addresses, got 0"},
		{"all", 1, 0, 100, 0, ""},
		{"just 70 percent", 7, 3, 70, 0, ""},
		{"not quite 70 percent", 6, 4, 70, 0, "Expected at least 7.0 (70% - 0) geocodable addresses, got 6"},
		{"one less is borne", 6, 4, 70, 1, ""},
		{"fractions count", 2, 3, 50, 0, "Expected at least 2.5 (50% - 0) geocodable addresses, got 2"},
		{"just 55 percent of 100", 55, 45, 55, 0, ""},
		{"settings with fractions", 1, 3, 62.5, 0.25, "Expected at least 2.25 (62.5% - 0.25) geocodable addresses, got 1"},
		{"none of none", 0, 0, 50, 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			check, _ := checker()
			check.Settings.Geocodable = validate.Threshold{Percentage: c.percentage, Variation: c.variation}
			records := numbered(c.good, "")
			for range c.bad {
				records = append(records, good().With("address", "somewhere"))
			}
			n, err := check.Addresses(records)
			assert.Equal(t, c.good, n)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.want)
			}
		})
	}
}

// A half is rounded up.
func TestPercentages(t *testing.T) {
	c, out := checker()
	records := numbered(1, "")
	for range 15 {
		records = append(records, good().With("address", "somewhere"))
	}
	_, _ = c.Addresses(records)
	assert.Equal(t, "Found 1 out of 16 unique geocodable addresses (6.3%)\n", out.String())
}

func TestUniqueReferences(t *testing.T) {
	for _, c := range []struct {
		name  string
		pairs [][2]any
		want  string
	}{
		{"none", nil, ""},
		{"different", [][2]any{{"s", "DA1"}, {"s", "DA2"}}, ""},
		{"two authorities", [][2]any{{"s", "DA1"}, {"m", "DA1"}}, ""},
		{"the same but for case", [][2]any{{"s", "DA1"}, {"s", "da1"}}, `Duplicate authority labels: ["s", "da1"]`},
		{"no label", [][2]any{{nil, "DA1"}, {nil, "DA1"}}, `Duplicate authority labels: [nil, "da1"]`},
		{"no reference", [][2]any{{"s", nil}, {"s", nil}}, `Duplicate authority labels: ["s", nil]`},
		{"several, one thrice", [][2]any{{"s", "a"}, {"s", "b"}, {"s", "A"}, {"s", "B"}, {"s", "a"}}, `Duplicate authority labels: ["s", "a"], ["s", "b"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			assertReason(t, c.want, validate.UniqueReferences(labelled(c.pairs)))
		})
	}
}

func labelled(pairs [][2]any) (records []scraperutils.Record) {
	for _, p := range pairs {
		records = append(records, good().With("authority_label", p[0]).With("council_reference", p[1]))
	}
	return records
}

// assertReason checks the reason of an *UnprocessableSite; "": no error.
func assertReason(t *testing.T, want string, err error) {
	t.Helper()
	if want == "" {
		require.NoError(t, err)
		return
	}
	var bad *scraperutils.UnprocessableSite
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, want, bad.Reason)
}

func TestAuthorityLabel(t *testing.T) {
	for _, c := range []struct {
		name           string
		labels         []any
		prefix, suffix string
		want, err      string
	}{
		{"none", nil, "p_", "", "", ""},
		{"no label", []any{nil}, "p_", "_s", "", ""},
		{"the same", []any{"a", "a"}, "", "", "a", ""},
		{"between others", []any{"a"}, "p_", "_s", "p_a_s", ""},
		{"one record without", []any{nil, "a"}, "", "", "a", ""},
		{"two", []any{"a", "b", "a"}, "", "", "", `Expected one authority_label, not ["a", "b"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var pairs [][2]any
			for _, label := range c.labels {
				pairs = append(pairs, [2]any{label, "DA1"})
			}
			got, err := validate.AuthorityLabel(labelled(pairs), c.prefix, c.suffix)
			assertReason(t, c.err, err)
			assert.Equal(t, c.want, got)
		})
	}
}
