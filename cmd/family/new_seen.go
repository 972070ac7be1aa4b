package family

import (
	"fmt"
	"io"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// summary is a page in a few words.
func summary(p *agent.Page) string {
	return fmt.Sprintf("%d %s (%d bytes)", p.Status, scraperutils.ShownURL(p.URL), len(p.Text))
}

// describe tells what is on a page that nothing was understood of, for those who look for another address, platform or option.
func describe(w io.Writer, p *agent.Page) {
	fmt.Fprintf(w, "\nWhat is at %s:\n", scraperutils.ShownURL(p.URL))
	parts := p.Describe()
	for _, part := range parts {
		fmt.Fprintf(w, "  %-9s %s\n", part.Kind, strings.Join(part.Texts, " | "))
	}
	if len(parts) == 0 {
		fmt.Fprintln(w, "  nothing")
	}
}
