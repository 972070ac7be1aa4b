package egress

import (
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// Recorded is a session whose recording stays in memory, for those who look at it at once.
type Recorded struct {
	Agent    *agent.Agent
	recorder *cassette.Recorder
}

// OpenRecorded returns such a session of a site. The caller must close it.
func (n *Network) OpenRecorded(site Site) (*Recorded, error) {
	c, err := n.AgentConfig(site)
	if err != nil {
		return nil, err
	}
	r := cassette.NewRecorder(c.Fetch.Transport, cassette.Options{Secrets: n.secrets(site), MaxBytes: evidenceBytes, MaxHeadBytes: evidenceHeads})
	c.Fetch.Transport, c.Fetch.OnTry, c.OnFailed = r, r.Try, r.Failed
	return &Recorded{agent.New(c), r}, nil
}

// Cassette returns what was exchanged so far.
func (r *Recorded) Cassette() *cassette.Cassette { return r.recorder.Cassette() }

// Write writes it to a file, without passwords and cookies.
func (r *Recorded) Write(path string) error { return r.recorder.Write(path) }

// Close ends the session.
func (r *Recorded) Close() {
	r.recorder.Close()
	r.Agent.Close()
}
