package masterview_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/masterview"
)

// Whatever the terms look like, the field and the button that a browser would send are sent.
func TestTerms(t *testing.T) {
	const field = `<input type=hidden name=agreed id=agreed value=False>`
	for name, c := range map[string]struct{ html, body string }{
		"a script's button":            {`<form method=post action=/ok>` + field + `<button id=agree type=button name=x>Agree</button><button type=button>Disagree</button></form>`, "agreed=true"},
		"a button that submits":        {`<form method=post action=/ok id=aspnetForm><input type=submit name=b1 value=Disagree><input type=submit name=b2 value=Agree></form>`, "b2=Agree"},
		"I Agree":                      {`<form method=post action=/ok><input type=submit name=b1 value="I do not agree"><input type=submit name=b2 value="I Agree"></form>`, "b2=I Agree"},
		"another case":                 {`<form method=post action=/ok><input type=submit name=b1 value="DISAGREE"><input type=submit name=b2 value=" AGREE "></form>`, "b2= AGREE "},
		"a search beside it":           {`<form action=/search><input name=q><input type=submit value=Go></form><form id=frmMasterView method=post action=/ok>` + field + `<input type=submit name=b value=agree></form>`, "agreed=true&b=agree"},
		"a button without the word":    {`<form method=post action=/ok>` + field + `<button id=agree>Yes</button></form>`, "agreed=true"},
		"a button with a value":        {`<form method=post action=/ok><button id=agree name=b value=1>Yes</button></form>`, "b=1"},
		"a picture with the word":      {`<form method=post action=/ok><button name=b value=Agree><img src=ok.png></button></form>`, "b=Agree"},
		"a link, the only form":        {`<form method=post action=/ok>` + field + `</form><a id=agree href="#">Agree</a>`, "agreed=true"},
		"a link, a form of this name":  {`<form action=/search></form><form id=frmApplicationMaster method=post action=/ok>` + field + `</form><a id=agree href="#">Agree</a>`, "agreed=true"},
		"a checkbox":                   {`<form method=post action=/ok><input type=checkbox name=agreed value=true><input type=submit name=b value=Agree></form>`, "agreed=true&b=Agree"},
		"a field that is not there":    {`<form method=post action=/ok><input type=submit name=b value=Agree></form>`, "b=Agree"},
		"a form of the page's address": {`<form method=post>` + field + `<input type=submit name=b value=Agree></form>`, "agreed=true&b=Agree"},
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{UseAPI: true}, "", pages{"": c.html, "ok": "welcome", "Application/GetApplications": `{"recordsTotal":0,"data":[]}`})
			require.NoError(t, v.err)
			require.Len(t, v.bodies, 2)
			assert.Equal(t, c.body, v.bodies[0])
		})
	}
}

func TestPagesWithoutTerms(t *testing.T) {
	for name, html := range map[string]string{
		"no form":       `<p>Welcome`,
		"another form":  `<form action=/search><input type=submit value="Search agreements"></form>`,
		"a way to quit": `<form action=/search><input type=submit value="I don't agree"></form>`,
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{UseAPI: true}, "", pages{"": html, "Application/GetApplications": `{"recordsTotal":0,"data":[]}`})
			require.NoError(t, v.err)
			assert.Equal(t, []string{"", "Application/GetApplications"}, v.requests)
		})
	}
}

func TestTermsOfOldPagesLeadElsewhere(t *testing.T) {
	council := pages{"ok": "redirect /default.aspx?page=search", "default.aspx?page=search": "another page"}
	seen := 0
	v := scrapeChanging(t, masterview.Options{}, council, func() string {
		if seen++; seen == 1 {
			return `<form id=aspnetForm method=post action=/ok><input type=submit name=b value=Agree></form>`
		}
		return pageOf("DA 1", "")
	})
	require.NoError(t, v.err)
	assert.Equal(t, []string{"list", "ok", "default.aspx?page=search", "list"}, v.requests)
	assert.Len(t, v.lines(), 1)
}

func TestTermsThatFail(t *testing.T) {
	const terms = `<form id=aspnetForm method=post action=/gone><input type=submit name=b value=Agree></form>`
	v := scrape(t, masterview.Options{}, "", pages{"list": terms})
	assert.ErrorContains(t, v.err, "agree to the terms: 500 ")
	v = scrape(t, masterview.Options{UseAPI: true}, "", pages{"": terms})
	assert.ErrorContains(t, v.err, "agree to the terms: 500 ")
	v = scrape(t, masterview.Options{}, "", pages{"list": `<form action=/a></form><form action=/b></form><a id=agree>Agree</a>`})
	assert.ErrorContains(t, v.err, "no form #aspnetForm, #frmApplicationMaster, #frmMasterView in ")
	v = scrape(t, masterview.Options{UseAPI: true}, "", pages{})
	assert.ErrorContains(t, v.err, "fetch the front page: 500 ")
}
