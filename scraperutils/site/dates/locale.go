package dates

import (
	"strings"

	"golang.org/x/text/language"
)

// tongue is how one language writes dates. Names are folded: lower case, without accents.
type tongue struct {
	name   string
	months [12][]string // the full name, then short ones that it does not begin with
	days   []string
	small  []string // words between the parts: de, of
	at     []string // words before a time of day
	good   string   // what is accepted, day first
}

// tongues are the languages that dates are read in.
var tongues = map[string]*tongue{
	"en": {
		name: "English", good: "31/12/2026, 31 December 2026",
		months: [12][]string{{"january"}, {"february"}, {"march"}, {"april"}, {"may"}, {"june"}, {"july"}, {"august"}, {"september"}, {"october"}, {"november"}, {"december"}},
		days:   []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"},
		small:  []string{"of", "the"}, at: []string{"at"},
	},
	"de": {
		name: "German", good: "31.12.2026, 31. Dezember 2026",
		months: [12][]string{{"januar", "janner"}, {"februar", "feber"}, {"marz", "maerz", "mrz"}, {"april"}, {"mai"}, {"juni"}, {"juli"}, {"august"}, {"september"}, {"oktober"}, {"november"}, {"dezember"}},
		days:   []string{"montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag"},
		small:  []string{"den", "der", "dem"}, at: []string{"um"},
	},
	"fr": {
		name: "French", good: "31/12/2026, 31 décembre 2026, 1er janvier 2026",
		months: [12][]string{{"janvier"}, {"fevrier"}, {"mars"}, {"avril"}, {"mai"}, {"juin"}, {"juillet"}, {"aout"}, {"septembre"}, {"octobre"}, {"novembre"}, {"decembre"}},
		days:   []string{"lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"},
		small:  []string{"le"}, at: []string{"a"},
	},
	"es": {
		name: "Spanish", good: "31/12/2026, 31 de diciembre de 2026",
		months: [12][]string{{"enero"}, {"febrero"}, {"marzo"}, {"abril"}, {"mayo"}, {"junio"}, {"julio"}, {"agosto"}, {"septiembre", "setiembre"}, {"octubre"}, {"noviembre"}, {"diciembre"}},
		days:   []string{"lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"},
		small:  []string{"de", "del", "el"}, at: []string{"a las", "a la"},
	},
	"it": {
		name: "Italian", good: "31/12/2026, 31 dicembre 2026, 1º gennaio 2026",
		months: [12][]string{{"gennaio"}, {"febbraio"}, {"marzo"}, {"aprile"}, {"maggio"}, {"giugno"}, {"luglio"}, {"agosto"}, {"settembre"}, {"ottobre"}, {"novembre"}, {"dicembre"}},
		days:   []string{"lunedi", "martedi", "mercoledi", "giovedi", "venerdi", "sabato", "domenica"},
		small:  []string{"di", "il", "del"}, at: []string{"alle", "ore", "alle ore"},
	},
	"nl": {
		name: "Dutch", good: "31-12-2026, 31 december 2026",
		months: [12][]string{{"januari"}, {"februari"}, {"maart", "mrt"}, {"april"}, {"mei"}, {"juni"}, {"juli"}, {"augustus"}, {"september"}, {"oktober"}, {"november"}, {"december"}},
		days:   []string{"maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"},
		small:  []string{"de"}, at: []string{"om"},
	},
	"pt": {
		name: "Portuguese", good: "31/12/2026, 31 de dezembro de 2026",
		months: [12][]string{{"janeiro"}, {"fevereiro"}, {"marco"}, {"abril"}, {"maio"}, {"junho"}, {"julho"}, {"agosto"}, {"setembro"}, {"outubro"}, {"novembro"}, {"dezembro"}},
		days:   []string{"segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo"},
		small:  []string{"de", "do"}, at: []string{"as"},
	},
}

const languages = "de, en, es, fr, it, nl or pt, with a region or without, such as en-AU"

// order is which part of 1/2/2026 is the day.
type order int

const (
	dayFirst order = iota
	monthFirst
	unsaid // English without a region, or of one with both orders
)

// orderOf goes by the region that a locale names.
func orderOf(locale language.Tag) order {
	base, _, region := locale.Raw()
	switch {
	case base.String() != "en":
		return dayFirst
	case strings.Contains(" US PH PR GU VI AS MP UM ", " "+region.String()+" "):
		return monthFirst
	case region.String() == "ZZ" || region.String() == "CA":
		return unsaid
	default:
		return dayFirst
	}
}

// month returns the number of a month's name, or of the beginning of one with at least three letters; 0 is none, or one of several.
func (t *tongue) month(word string) int {
	if len(word) < 3 {
		return 0
	}
	found := 0
	for i, names := range t.months {
		for _, name := range names {
			switch {
			case name == word:
				return i + 1
			case strings.HasPrefix(name, word) && found != 0 && found != i+1:
				return 0
			case strings.HasPrefix(name, word):
				found = i + 1
			}
		}
	}
	return found
}

// weekday reports whether a word is the name of a day of the week, or the beginning of one.
func (t *tongue) weekday(word string) bool {
	word = strings.TrimSuffix(word, "-feira")
	for _, name := range t.days {
		if len(word) >= 2 && strings.HasPrefix(name, word) {
			return true
		}
	}
	return false
}
