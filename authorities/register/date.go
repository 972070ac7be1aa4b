package register

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

const clock = `(?:[ T,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AaPp]\.?[Mm]\.?)?(?:\s*(?:Z|[A-Z]{3,4}|[+-]\d{2}:?\d{2}))?)?`

var (
	isoDate     = regexp.MustCompile(`^(\d{4})[/-](\d{1,2})[/-](\d{1,2})` + clock + `$`)
	numericDate = regexp.MustCompile(`^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})` + clock + `$`)
	wordyDate   = regexp.MustCompile(`^(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})(?:st|nd|rd|th)?[ -]+([A-Za-z]{3,9})\.?,?[ -]+(\d{4})` + clock + `$`)
	monthFirst  = regexp.MustCompile(`^(?:[A-Za-z]{3,9},?\s+)?([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?(?:\s+[\d:]{4,8}(?:\s+[A-Z]{3,4})?)?\s+(\d{4})` + clock + `$`)
)

// longestDate is how long a date may be, in bytes, with its time and white space between.
const longestDate = 200

// ParseDate reads a date as councils write it (31/12/2019, 31-12-2019, 31 Dec 2019, Dec 31, 2019, 2019-12-31, each with or
// without a time) and returns it as YYYY-MM-DD. Empty text is no date and no error; one that the calendar does not have is an error
// for its record.
func ParseDate(s string) (string, error) {
	s = scraperutils.Trim(strings.ReplaceAll(s, "\u00a0", " "))
	if s == "" {
		return "", nil
	}
	if date, ok := plainDate(s); ok {
		return date, nil
	}
	if len(s) > longestDate {
		return "", &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("a text of %d bytes is no date: expected one like 31/12/2019", len(s))}
	}
	var year, month, day string
	if m := isoDate.FindStringSubmatch(s); m != nil {
		year, month, day = m[1], m[2], m[3]
	} else if m := numericDate.FindStringSubmatch(s); m != nil {
		year, month, day = m[3], m[2], m[1]
	} else if m := wordyDate.FindStringSubmatch(s); m != nil {
		year, month, day = m[3], monthNumber(m[2]), m[1]
	} else if m := monthFirst.FindStringSubmatch(s); m != nil {
		year, month, day = m[3], monthNumber(m[1]), m[2]
	}
	y, _ := strconv.Atoi(year)
	mo, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	date := time.Date(y, time.Month(mo), d, 0, 0, 0, 0, time.UTC)
	if year == "" || date.Year() != y || int(date.Month()) != mo || date.Day() != d {
		return "", &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("%q is no date: expected one like 31/12/2019", s)}
	}
	return date.Format(time.DateOnly), nil
}

// plainDate reads 31/12/2019, which is what most councils write, without more ado.
func plainDate(s string) (string, bool) {
	if len(s) != 10 || s[2] != '/' || s[5] != '/' {
		return "", false
	}
	d, err := time.Parse("02/01/2006", s)
	return d.Format(time.DateOnly), err == nil
}

func monthNumber(name string) string {
	for m := time.January; m <= time.December; m++ {
		full := m.String()
		if strings.EqualFold(name, full) || strings.EqualFold(name, full[:3]) || m == time.September && strings.EqualFold(name, "sept") {
			return strconv.Itoa(int(m))
		}
	}
	return ""
}
