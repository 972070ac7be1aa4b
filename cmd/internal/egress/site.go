package egress

import (
	"path/filepath"
	"time"
)

// Site describes a site before any request to it.
type Site struct {
	Label       string        // unique; what its recordings are called
	Platform    string        // the folder of its recordings
	URL         string        // as it is known; may hold a user and a password, which are written nowhere
	Timeout     time.Duration // of its requests, where the settings have none; 0 is the default
	TLSInsecure bool          // its certificate is not checked
	Render      bool          // its pages are wanted as they are after their scripts
	ByProxy     bool          // it is asked through the proxy, if there is one
}

// TapePath is where the recording of a site stands in a folder of recordings.
func TapePath(folder string, s Site) string {
	return filepath.Join(folder, s.Platform, s.Label+".yml")
}
