package family

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// keyed is a script that is true once the page shows a run that goes on, or one that is over, and what belongs to it.
func keyed(over bool) string {
	return fmt.Sprintf(`((key) => key !== "" && key.endsWith(" over") === %t)(document.querySelector("main").dataset.key)`, over)
}

// row is a script for the state of a site in the table.
func row(label string) string {
	return fmt.Sprintf(`document.querySelector('#all tr[data-label=%q]')?.dataset.state`, label)
}

// A run is begun by a click and followed; one site of it is stopped by a click, and then all of it. The cause of a failure is three clicks
// away, from the run and from the report.
func TestServeByClicks(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--misbehave", "kyogle=hang,noosa=layout,walgett=hang")
	w := pagetest.Open(t)
	w.Visit(s.address + "/now")
	w.Click(`button[value="all"]`)
	w.Until(keyed(false))
	w.Until(row("kyogle") + ` === "asking"`)
	w.Until(row("walgett") + ` === "asking"`)
	w.Until(`Number(document.getElementById("count-done").textContent) > 5`)
	w.Until(`document.querySelectorAll("#slow li").length > 0 && document.getElementById("rate-requests").textContent.endsWith(" per second")`)
	w.Until(`document.getElementById("slow").textContent.includes("its answer")`)

	w.Click(`#all tr[data-label=kyogle] a`)
	w.Until(`document.querySelector("h1").textContent === "kyogle"`)
	w.Click(`form[action="/stop"] button`)
	w.Until(row("kyogle") + ` === "failed"`)
	assert.Contains(t, w.Document().Find(`tr[data-label=kyogle]`).Text(), "stopped by hand")
	assert.Equal(t, "asking", w.Document().Find(`tr[data-label=walgett]`).AttrOr("data-state", ""), "the others go on")

	failure := `document.querySelector(".exhibit[open] .missing")?.textContent.includes("no table.grid in")`
	w.Until(row("noosa") + ` === "failed"`)
	w.Click(`#all tr[data-label=noosa] a`) // one
	w.Until(`document.querySelector("h1").textContent === "noosa" && document.querySelectorAll("#requests tbody tr").length > 0`)
	w.Click(`#history`) // two
	w.Until(failure)
	w.Visit(s.address + "/")
	w.Click(`a[href="/authority/noosa.html"]`)
	w.Until(failure)

	w.Visit(s.address + "/now")
	w.Click(`form[action="/stop"] button`)
	w.Until(keyed(true))
	assert.Contains(t, w.Document().Find("#sentence").Text(), "with exit code 143")
	assert.Contains(t, w.Document().Find("#actions").Text(), "stop kyogle")
}

// A run goes on when its server is killed. A page that is open finds the next server, which follows the run and stops it.
func TestServeAfterAKill(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestServeByClicks has a server and a browser
	long(t)
	t.Parallel()
	s := startServer(t, "--misbehave", "kyogle=hang")
	w := pagetest.Open(t).Quietly() // it will lose its server
	w.Visit(s.address + "/now")
	require.Equal(t, http.StatusSeeOther, s.do(t, "/run", url.Values{"which": {"all"}}, s.address))
	w.Until(row("kyogle") + ` === "asking"`)
	require.NoError(t, s.Process.Kill())
	_ = s.Wait() // it was killed
	w.Until(`!document.getElementById("link").hidden`)
	process := db.Holder(s.path)
	require.NotZero(t, process, "the run goes on")

	next := startServerOf(t, s.path, "--listen", strings.TrimPrefix(s.address, "http://"))
	next.follow(t, "/live/kyogle", `"state":"asking"`)
	stop := `form[action="/stop"] button`
	w.Until(`document.getElementById("link").hidden && document.querySelector('` + stop + `') && ` + keyed(false) + ` && ` + row("kyogle") + ` === "asking"`)
	assert.Contains(t, next.page(t, "/now"), fmt.Sprintf("as process %d", process))
	w.Click(stop)
	w.Until(keyed(true))
	assert.Contains(t, w.Document().Find("#sentence").Text(), "with exit code 143")
	assert.NotEmpty(t, rows(t, s.path, "SELECT council_reference FROM data"))

	require.NoError(t, next.Process.Signal(syscall.SIGTERM))
	_ = next.Wait() // by the signal
	last := startServerOf(t, s.path, "--read-only")
	assert.Contains(t, last.page(t, "/now"), "with exit code 143", "from the database")
}
