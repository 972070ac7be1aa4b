package masterview

import (
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

var (
	alert         = cascadia.MustCompile(".alert")
	sorry         = regexp.MustCompile(`(?i)sorry\s+the\s+application\s+is\s+not\s+available\.\s+please\s+contact\s+council\s+for\s+further\s+details\.`)
	newDetails    = cascadia.MustCompile("#details")
	newProperties = cascadia.MustCompile("#properties")
	tableCells    = cascadia.MustCompile("td, th")
)

// readDetail reads the page of one application, in either layout. The new one is known by #details.
func readDetail(page *agent.Page) (fields, error) {
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	if says := sorry.FindString(document.FindMatcher(alert).Text()); says != "" {
		return nil, &notAvailable{strings.Join(strings.Fields(says), " ")}
	}
	if err := serverError(page, document); err != nil {
		return nil, err
	}
	if heading := document.FindMatcher(newDetails).First(); heading.Length() > 0 {
		return readNewLayout(document, heading), nil
	}
	return readOldLayout(page, document)
}

const applicationType register.Meaning = "application_type"

var newVocabulary = register.NewVocabulary(map[register.Meaning][]string{
	register.Received:    {"Submitted Date"},
	register.Description: {"Description"},
	applicationType:      {"Application Type"},
})

// readNewLayout reads headings with an element below each.
func readNewLayout(document *goquery.Document, heading *goquery.Selection) fields {
	f := fields{}
	cells := heading.Next().FindMatcher(tableCells)
	for i := 0; i < cells.Length(); i++ {
		label := cells.Eq(i)
		value := label.Next()
		if m := newVocabulary.Meaning(label.Text()); m != "" && value.Length() > 0 {
			f[m] = scraperutils.Trim(value.Text())
			i++ // a value is no label, whatever it says
		}
	}
	if kind, ok := f[applicationType]; ok && f[register.Description] == "" {
		f[register.Description] = kind
	}
	if properties := document.FindMatcher(newProperties).First().Next(); properties.Length() > 0 {
		if cell := properties.FindMatcher(tableCells).First(); cell.Length() > 0 {
			properties = cell
		}
		address, _, _ := strings.Cut(properties.Text(), "(")
		f[register.Address] = scraperutils.Trim(address)
	}
	return f
}

// Elements of the old layout, by meaning; of several the first that is there counts.
var (
	oldReferences = []cascadia.Selector{cascadia.MustCompile("#ctl03_lblHead"), cascadia.MustCompile("#ctl00_cphContent_ctl00_lblApplicationHeader")}
	oldAddresses  = []cascadia.Selector{
		cascadia.MustCompile("#lblLand"), cascadia.MustCompile("#lblProp"), cascadia.MustCompile("#lblprop"),
		cascadia.MustCompile("#lblProperties"), cascadia.MustCompile("#lblProperties1"),
	}
	oldDetails = []cascadia.Selector{cascadia.MustCompile("#lblDetails"), cascadia.MustCompile("#lblDetail")}
	labelled   = cascadia.MustCompile("[id^=lbl]")
	innerTable = cascadia.MustCompile("table")
)

func firstOf(document *goquery.Document, selectors []cascadia.Selector) *goquery.Selection {
	for _, selector := range selectors {
		if s := document.FindMatcher(selector).First(); s.Length() > 0 {
			return s
		}
	}
	return &goquery.Selection{}
}

// readOldLayout reads elements that are known by their ids. There is always a description, if an empty one.
func readOldLayout(page *agent.Page, document *goquery.Document) (fields, error) {
	head, land, about := firstOf(document, oldReferences), firstOf(document, oldAddresses), firstOf(document, oldDetails)
	if head.Length()+land.Length()+about.Length() == 0 {
		ids := document.FindMatcher(labelled).Map(func(_ int, s *goquery.Selection) string { return "#" + s.AttrOr("id", "") })
		return nil, page.Missing("#details or #lblDetails", ids...)
	}
	f := fields{register.Description: ""}
	if head.Length() > 0 {
		f[register.Reference] = firstWord(head.Text())
	}
	if land.Length() > 0 {
		f[register.Address] = oneLine(firstLine(land))
	}
	if !readOldTable(about, f) {
		readOldLines(about, f)
	}
	return f, nil
}

var oldVocabulary = register.NewVocabulary(map[register.Meaning][]string{
	register.Reference:   {"Application No."},
	register.Description: {"Description"},
	register.Received:    {"Submitted Date"},
})

// readOldTable reads details that stand in a table, a name and a value in a row, and reports whether they do.
func readOldTable(about *goquery.Selection, f fields) (known bool) {
	var descriptions []string
	for _, table := range about.FindMatcher(innerTable).EachIter() {
		names, values := register.ReadPairs(table)
		for i, name := range names {
			text := values[i].Text
			switch m := oldVocabulary.Meaning(name); m {
			case "":
				continue
			case register.Description:
				if text != "" {
					descriptions = append(descriptions, text)
				}
			default:
				f.offer(m, text)
			}
			known = true
		}
	}
	f[register.Description] = strings.Join(descriptions, ", ")
	return known
}

// Names of lines of the old layout. A name stands where the line begins, so that "Determination Description:" is another one;
// only Activity may stand anywhere.
var (
	namedLine = regexp.MustCompile(`(?is)^(address|description|submitted|date lodged)\s*:(.*)$`)
	activity  = regexp.MustCompile(`(?is)activity\s*:(.*)$`)
)

// readOldLines reads details that stand one below the other, a name and a value in a line, with single spaces between words.
// The first value that is not empty counts; an address here is better than that of the land.
func readOldLines(about *goquery.Selection, f fields) {
	found := fields{}
	for _, line := range readLines(about) {
		name, text := "", ""
		if m := namedLine.FindStringSubmatch(line); m != nil {
			name, text = strings.ToLower(m[1]), m[2]
		} else if m := activity.FindStringSubmatch(line); m != nil {
			name, text = "description", m[1]
		}
		if text = scraperutils.Trim(register.SingleSpaces(text)); text == "" {
			continue
		}
		switch name {
		case "address":
			found.offer(register.Address, oneLine(text))
		case "description":
			found.offer(register.Description, text)
		case "submitted", "date lodged":
			found.offer(register.Received, text)
		}
	}
	f.take(found, register.Address, register.Description, register.Received)
}

// offer sets a field that has no text yet.
func (f fields) offer(m register.Meaning, text string) {
	if f[m] == "" {
		f[m] = text
	}
}
