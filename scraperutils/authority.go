package scraperutils

import "time"

// Authority is one row of the registry as far as all platforms share it. What is a platform's own stands in its options.
type Authority struct {
	Label           string        // unique in a registry; the authority_label of its records
	Platform        string        // the package that reads it
	URL             string        // used as written
	State           string        // such as NSW; "" where the platform does not need it
	Timeout         time.Duration // for this authority's requests, where the run has none; 0 is the default
	TLSInsecure     bool          // its certificate is not checked
	Render          bool          // its pages are read as they are after their scripts
	AustralianProxy bool          // it answers Australian addresses only

	// The least that is plausible, where its past is not to be asked.
	LeastRecords *int               // in a run; 0: any number
	LeastFilled  map[string]float64 // by field, percent of the records of a run; 0: any share
}
