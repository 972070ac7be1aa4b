package site

import "time"

// Site is one site as its row in a registry has it, without the options of its platform.
type Site struct {
	Label       string        // unique in a registry; the label of its records
	Platform    string        // what reads it
	URL         string        // used as written
	Timeout     time.Duration // of its requests, where the run has none; 0 is the default
	TLSInsecure bool          // its certificate is not checked
	Render      bool          // its pages are read as they are after their scripts
	ByProxy     bool          // it is asked through the proxy, if there is one

	// The least that is plausible, where its past is not to be asked.
	LeastRecords *int               // in a run; 0: any number
	LeastFilled  map[string]float64 // by field, percent of the records of a run; 0: any share
}
