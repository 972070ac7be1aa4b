package epathway

import "github.com/multiscraper/multiscraper/authorities/register"

// Meanings that only this platform has.
const (
	suburb         register.Meaning = "suburb"
	lodged         register.Meaning = "lodgement_date" // taken where there is no other date
	listRegister   register.Meaning = "list of all applications"
	listAdvertised register.Meaning = "list of advertised applications"
	dateTab        register.Meaning = "tab of dates"
	primary        register.Meaning = "primary location"
	noticeFrom     register.Meaning = "on_notice_from"
	noticeTo       register.Meaning = "on_notice_to"
	otherOfAddress register.Meaning = "other address column"
)

// What stands for a value where there is none.
const (
	notOnFile  = "Not on file"
	systemName = "ePathway"
)

// columns are the headings of the list.
var columns = register.NewVocabulary(map[register.Meaning][]string{
	register.Reference: {"app no.", "application", "application no", "application number", "number", "our reference"},
	register.Received: {
		"application date", "date", "date lodged", "date received", "date registered", "lodged", "lodge date", "lodged date", "submitted",
	},
	lodged: {"lodgement date"},
	register.Address: {
		"address", "application location", "location", "location address", "primary property address", "property address",
		"site address", "site location", "street address",
	},
	suburb: {"suburb", "location suburb"},
	register.Description: {
		"application description", "application proposal", "description", "details of proposal or permit", "proposal",
		"proposed use or development",
	},
})

// choices are the labels of the lists among which a visitor chooses.
var choices = register.NewVocabulary(map[register.Meaning][]string{
	listRegister: {
		"all applications", "applications register", "development application tracking", "development applications",
		"find a development application", "list of development applications", "development application - planning act",
		"track lodged development applications (da)", "planning applications", "planning application enquiry",
		"planning application register", "planning applications register", "register of planning applications",
		"planning applications register - general", "planning register", "application enquiry - planning",
		"planning permit application search", "planning permit register", "town planning public register",
		"statutory planning - online register", "the barossa council development applications",
		"statutory planning applications register",
	},
	listAdvertised: {
		"applications on exhibition", "advertised planning applications", "planning application at advertising",
		"planning applications being advertised", "planning applications currently on advertising",
		"planning applications currently advertised", "planning applications on advertising",
		"development applications on public exhibition", "development applications in public notification",
		"planning permit applications advertised", "advertised planning permit applications",
		"advertised statutory planning applications",
	},
})

// tabs are the labels of the search by dates.
var tabs = register.NewVocabulary(map[register.Meaning][]string{
	dateTab: {
		"Date Search", "Lodgement Date", "Date Range", "Date Lodged", "Date", "Search by Date Range", "Date range search",
		"Lodgement Date Search",
	},
})

// listButtons are those that go on from the choice of a list, the best first.
var listButtons = []string{"Next", "Continue", "Submit"}

// labels are those of a detail page's fields, the best first; they count as they are written.
var labels = map[register.Meaning][]string{
	register.Address:     {"Application location", "Application Location"},
	register.Received:    {"Date Received", "Date received", "Lodgement date", "Lodgement Date", "Application Date"},
	register.Reference:   {"Application Number", "Application number"},
	register.Description: {"Proposed Use or Development", "Application description", "Proposal", "Application Description"},
}

// locations are the headings of a detail page's table of addresses: each of its own meaning, so that the best can be taken.
var (
	addressColumns = []register.Meaning{"property address", "address", "formatted property address"} // the best first
	locations      = register.NewVocabulary(map[register.Meaning][]string{
		addressColumns[0]: {"Property Address"},
		addressColumns[1]: {"Address"},
		addressColumns[2]: {"Formatted Property Address"},
		primary:           {"Primary Location"},
		otherOfAddress:    {"Ward", "Title", "Location Address", "Location Suburb"},
	})
)

// notices are the headings of a detail page's table of the public notice.
var notices = register.NewVocabulary(map[register.Meaning][]string{noticeFrom: {"Start Date"}, noticeTo: {"Closing Date"}})
