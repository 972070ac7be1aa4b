package crawlcmd

import "errors"

// startSites serves the built-in sites, and gives their URLs to a run that has none.
func (j *job) startSites(*runCommand) error {
	return &startError{errors.New("--fixtures: no built-in sites yet")}
}
