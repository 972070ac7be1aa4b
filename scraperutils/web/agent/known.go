package agent

import "github.com/multiscraper/multiscraper/scraperutils"

// Page returns an answer that is there already, such as a recorded one, as a page of the agent's session, whatever its status.
func (a *Agent) Page(r *scraperutils.Response) (*Page, error) { return newPage(a, r) }
