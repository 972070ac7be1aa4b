package register_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

func TestParseDate(t *testing.T) {
	for text, want := range map[string]string{
		"15/5/2019":                     "2019-05-15",
		"05/12/2019":                    "2019-12-05",
		"15-05-2019":                    "2019-05-15",
		"15.5.2019":                     "2019-05-15",
		"15 May 2019":                   "2019-05-15",
		"15 MAY 2019":                   "2019-05-15",
		"5 Sept 2019":                   "2019-09-05",
		"15-May-2019":                   "2019-05-15",
		"15th May, 2019":                "2019-05-15",
		"Wednesday, 15 May 2019":        "2019-05-15",
		"May 15, 2019 10:11 AM":         "2019-05-15",
		"Wed May 15 00:00:00 AEST 2019": "2019-05-15", // as Java writes a date
		"Wed 15th May 2019":             "2019-05-15",
		"Wednesday May 15th 2019":       "2019-05-15",
		"2019/5/15 10:11:12.0":          "2019-05-15",
		"2019-05-15":                    "2019-05-15",
		"2019-05-15T10:11:12+10:00":     "2019-05-15",
		"2019-05-15T23:59:59Z":          "2019-05-15",
		"2019-05-15T10:11:12.123":       "2019-05-15",
		"18/04/2019 5:04:23 PM":         "2019-04-18",
		"18/04/2019 17:04":              "2019-04-18",
		"18/04/2019 5:04 p.m.":          "2019-04-18",
		"12 Apr 2019 10:00AM":           "2019-04-12",
		"29/02/2020":                    "2020-02-29",
		" 1/2/2019\n":                   "2019-02-01",
		"1\u00a0May\u00a02019":          "2019-05-01",
		"":                              "",
		" \t":                           "",
	} {
		got, err := register.ParseDate(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestParseDateRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{"31/02/2019", "29/2/2019", "0/1/2019", "1/13/2019", "1/1/19", "soon", "15 Mai 2019", "2019", "1/2/2019 late", "2019-13-01", "May 32 2019", "May 2019", "Smarch 1 2019", "99/99/9999", "1/2/2019/3"} {
		_, err := register.ParseDate(text)
		var bad *scraperutils.UnprocessableRecord
		require.ErrorAs(t, err, &bad, text)
		assert.Contains(t, err.Error(), text)
	}
}

func FuzzParseDate(f *testing.F) {
	f.Add("15/5/2019")
	f.Add("2019-05-15T10:11:12+10:00")
	iso := regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := register.ParseDate(text)
		if err != nil || got == "" {
			return
		}
		if _, err := time.Parse(time.DateOnly, got); err != nil || !iso.MatchString(got) {
			t.Fatalf("%q became %q", text, got)
		}
		again, err := register.ParseDate(got)
		if err != nil || again != got {
			t.Fatalf("%q became %q and then %q, %v", text, got, again, err)
		}
	})
}

func TestParseXML(t *testing.T) {
	root, err := register.ParseXML("<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\n<a x='1'>é<b>one</b><c><b>two &amp; &nbsp;&#11;\x0b</b></c></a>")
	require.NoError(t, err)
	assert.Equal(t, "a", root.Name)
	assert.Equal(t, "1", root.Attribute("x"))
	text, ok := root.ChildText("b")
	assert.True(t, ok)
	assert.Equal(t, "one", text)
	assert.Equal(t, "two & \u00a0", root.Child("c").Child("b").Text)
	var names []string
	root.All(func(e *register.Element) bool { names = append(names, e.Name); return len(names) < 2 })
	assert.Equal(t, []string{"b", "c"}, names)
	_, ok = root.ChildText("d")
	assert.False(t, ok)
	assert.Nil(t, root.Child("d").Child("e"))

	for _, bad := range []string{"", "text", "<a>", "<a><b></a", strings.Repeat("<a>", 300)} {
		_, err := register.ParseXML(bad)
		assert.Error(t, err, bad)
	}
}

func FuzzParseXML(f *testing.F) {
	f.Add("<a><b x='1'>t</b></a>")
	f.Add("<a></b></a>&#0;")
	f.Fuzz(func(t *testing.T, text string) {
		root, err := register.ParseXML(text)
		if err == nil && root == nil {
			t.Fatal("neither a document nor an error")
		}
	})
}

func TestClock(t *testing.T) {
	for now, want := range map[string]string{"2025-02-28T14:29:59Z": "2025-02-28", "2025-02-28T14:30:00Z": "2025-03-01", "2025-12-31T23:00:00Z": "2026-01-01"} {
		at, err := time.Parse(time.RFC3339, now)
		require.NoError(t, err)
		assert.Equal(t, want, site.Clock{Now: at, Zone: register.Zone()}.Today().Format(time.DateOnly))
		assert.Equal(t, "2019-05-15", site.Clock{Now: at, Zone: register.Zone(), AsOf: time.Date(2019, 5, 15, 0, 0, 0, 0, time.UTC)}.Today().Format(time.DateOnly))
	}
	sydney, at := time.FixedZone("AEDT", 11*60*60), time.Date(2026, 11, 22, 13, 15, 0, 0, time.UTC)
	for name, c := range map[string]site.Clock{"now": {Now: at, Zone: register.Zone()}, "as of then": {Now: at.AddDate(1, 0, 0), AsOf: at, At: true, Zone: register.Zone()}} {
		assert.Equal(t, "2026-11-22", c.Today().Format(time.DateOnly), name)
		assert.Equal(t, "2026-11-23", c.In(sydney).Format(time.DateOnly), name)
	}
	assert.Equal(t, "2026-11-22", site.Clock{Now: at, AsOf: at}.In(sydney).Format(time.DateOnly), "only its date counts")
}

func TestOneOf(t *testing.T) {
	assert.NoError(t, site.OneOf("period", "TM", "TM", "TW"))
	assert.EqualError(t, site.OneOf("period", "tm", "TM", "TW"), `period: can't use "tm": expected one of TM, TW`)
}

func TestRecordOfAnApplication(t *testing.T) {
	sink := &registertest.Memory{ByReference: map[string]map[string]string{}}
	v := &site.Visit{Sink: sink, Clock: site.Clock{AsOf: time.Date(2019, 5, 15, 0, 0, 0, 0, time.UTC)}}
	require.NoError(t, register.Save(t.Context(), v, register.Application{Reference: "1", Address: "a\r\nb", Description: "c\rd", InfoURL: "http://a.example"}))
	require.NoError(t, register.Save(t.Context(), v, register.Application{Reference: "2", Address: "a", Description: "b", InfoURL: "http://a.example", Received: "2019-05-01", NoticeTo: "2019-05-02"}))
	assert.Equal(t, []map[string]string{
		{"council_reference": "1", "address": "a\nb", "description": "c\nd", "info_url": "http://a.example", "date_scraped": "2019-05-15"},
		{"council_reference": "2", "address": "a", "description": "b", "info_url": "http://a.example", "date_scraped": "2019-05-15", "date_received": "2019-05-01", "on_notice_to": "2019-05-02"},
	}, sink.Rows())
}

// Whatever way a text leaves a scraper, it is clean.
func TestVisitCleansText(t *testing.T) {
	sink := &registertest.Memory{ByReference: map[string]map[string]string{}}
	v := &site.Visit{Sink: sink, Clock: site.Clock{AsOf: time.Date(2019, 5, 15, 0, 0, 0, 0, time.UTC)}}
	dirty := func(text string) string { return "\x07" + text + "\x1b\u202e\n2\x7f" }
	require.NoError(t, register.Save(t.Context(), v, register.Application{Reference: dirty("DA1"), Address: dirty("High St"), Description: dirty("Shed"), InfoURL: "http://a.example"}))
	require.NoError(t, v.Reject(t.Context(), dirty("DA2"), errors.New("no date")))
	v.Skip(t.Context(), dirty("DA3"), "withdrawn")
	assert.Equal(t, []map[string]string{
		{"council_reference": "DA1 2", "address": "High St\n2", "description": "Shed\n2", "info_url": "http://a.example", "date_scraped": "2019-05-15"},
	}, sink.Rows())
	assert.Equal(t, []string{"DA2 2: no date"}, sink.Rejected)
	assert.Equal(t, []string{"DA3 2: withdrawn"}, sink.Skipped)
}

// An option may have several values, of which one is used a day.
func TestChoice(t *testing.T) {
	read := func(text string) (c site.Choice, err error) {
		var row struct {
			Period site.Choice `yaml:"period"`
		}
		err = yaml.Unmarshal([]byte(text), &row)
		return row.Period, err
	}
	for text, want := range map[string]site.Choice{
		"period: L28": {"L28"}, "period: [L28, L7, 14]": {"L28", "L7", "14"}, "period: null": nil, "{}": nil,
	} {
		got, err := read(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	_, err := read("period: {a: b}")
	assert.ErrorContains(t, err, "expected a value or a list of values")

	c := site.Choice{"L28", "L7", "L14", "L7"}
	for day, want := range map[int]string{1: "L7", 3: "L7", 4: "L28", 5: "L7"} {
		v := &site.Visit{Clock: site.Clock{AsOf: time.Date(2025, 5, day, 0, 0, 0, 0, time.UTC)}}
		assert.Equal(t, want, c.Of(v), day)
	}
	position := 2
	assert.Equal(t, "L14", c.Of(&site.Visit{Search: site.Search{Cycle: &position}}))
	assert.Empty(t, site.Choice(nil).Of(&site.Visit{}))
	assert.NoError(t, c.Check("period", "L28", "L14", "L7"))
	assert.ErrorContains(t, c.Check("period", "L28", "L14"), `can't use "L7"`)
	assert.ErrorContains(t, site.Choice(nil).Check("period", "L28"), `can't use ""`)
}

// A search may ask for the last days every time and for older ones in turn.
func TestSpans(t *testing.T) {
	today := time.Date(2025, 3, 2, 0, 0, 0, 0, time.UTC)
	v := &site.Visit{Search: site.Search{Plan: dates.DefaultPlan()}}
	spans := func(spread bool) (all []string) {
		for _, s := range v.Spans(today, 30, spread) {
			all = append(all, s.From.Format(time.DateOnly)+" "+s.To.Format(time.DateOnly))
		}
		return all
	}
	assert.Equal(t, []string{"2025-01-31 2025-03-02"}, spans(false))
	assert.Equal(t, []string{"2025-01-28 2025-02-12", "2025-02-26 2025-03-02"}, spans(true))
	v.Search.Random = rand.New(rand.NewPCG(1, 1))
	assert.ElementsMatch(t, []string{"2025-01-28 2025-02-12", "2025-02-26 2025-03-02"}, spans(true))
}

// What is no council's is rejected in few words, whatever its size.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("é", 40<<10)
	_, err := register.ParseDate(long)
	require.ErrorContains(t, err, "a text of 81920 bytes is no date")
	assert.Empty(t, register.NewVocabulary(map[register.Meaning][]string{register.Reference: {"é"}}).Meaning(strings.Repeat(" ", 1<<10)+"é"))

	m := &registertest.Memory{ByReference: map[string]map[string]string{}}
	v := &site.Visit{Sink: m}
	good := register.Application{Reference: "1", Address: "1 High St", Description: strings.Repeat("x", 64<<10), InfoURL: "http://a.example/"}
	require.NoError(t, register.Save(t.Context(), v, good))
	assert.Len(t, m.Rows(), 1)
	for _, set := range []func(*register.Application){
		func(a *register.Application) { a.Reference = long }, func(a *register.Application) { a.Address = long },
		func(a *register.Application) { a.Description = long }, func(a *register.Application) { a.InfoURL = long },
	} {
		bad := good
		set(&bad)
		m.Rejected = nil
		require.NoError(t, register.Save(t.Context(), v, bad))
		require.Len(t, m.Rejected, 1)
		assert.Contains(t, m.Rejected[0], "it has a text of 81920 bytes: expected at most 65536")
		assert.Less(t, len(m.Rejected[0]), 500)
	}
}
