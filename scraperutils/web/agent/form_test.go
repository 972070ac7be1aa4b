package agent_test

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// served returns a page with this HTML, and a function that tells what was last sent to its server.
func served(t *testing.T, contentType, html string) (*agent.Page, func() string) {
	t.Helper()
	var last string
	a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		last = strings.TrimSuffix(fmt.Sprintf("%s %s %s", r.Method, r.RequestURI, body), " ")
		io.WriteString(w, html)
	})
	p, err := a.Get(t.Context(), base+"/dir/page.aspx?old=1")
	require.NoError(t, err)
	return p, func() string { return last }
}

const utf8HTML = "text/html; charset=utf-8"

func TestFormSendsWhatABrowserSends(t *testing.T) {
	for name, c := range map[string]struct{ form, want string }{
		"fields in order, values as they stand": {"<input name=b value=' 1\n\t2 '><input type=hidden name=a><input value=nameless>", "b=+1%0A%092+&a="},
		"choices":                               {`<input type=radio name=r value=1><input type=radio name=r value=2 checked><input type=checkbox name=c><input type=checkbox name=d checked>`, "r=2&d=on"},
		"select":                                {`<select name=s><option value=1>One<option value=2 selected>Two</select>`, "s=2"},
		"select, nothing selected":              {`<select name=s><option> First  one <option>Two</select>`, "s=First+one"},
		"select without options":                {`<select name=s></select>`, ""},
		"multiple select":                       {`<select name=s multiple><option selected>1<option>2<option selected>3</select><select name=t multiple><option>1</select>`, "s=1&s=3"},
		"textarea":                              {"<textarea name=t>a\nb</textarea>", "t=a%0Ab"},
		"buttons not pressed":                   {`<input type=submit name=s value=S><button name=b value=B>B</button><input type=image name=i><input type=reset name=r><input type=button name=x value=X>`, ""},
		"disabled":                              {`<input name=a disabled value=1><fieldset disabled><input name=b value=2></fieldset><input name=c value=3>`, "c=3"},
		"a name twice":                          {`<input name=a value=1><input name=a value=2>`, "a=1&a=2"},
		"characters":                            {`<input name="ctl00$x" value="é &amp; +/$">`, "ctl00%24x=%C3%A9+%26+%2B%2F%24"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := served(t, utf8HTML, "<form>"+c.form+"</form>")
			form, err := p.Form("form")
			require.NoError(t, err)
			assert.Equal(t, c.want, form.Values(nil).Encode())
		})
	}
}

func TestSubmit(t *testing.T) {
	for name, c := range map[string]struct {
		html, button, want string
	}{
		"POST to a relative action":             {`<form method=post action="../go.aspx?x=1"><input name=a value=1></form>`, "", "POST /go.aspx?x=1 a=1"},
		"no action is the page itself":          {`<form method=POST><input name=a value=1></form>`, "", "POST /dir/page.aspx?old=1 a=1"},
		"GET puts everything into the query":    {`<form action="find?gone=1"><input name=a value="1 2"></form>`, "", "GET /dir/find?a=1+2"},
		"a button that was pressed":             {`<form method=post><input name=a value=1><input type=submit name=go value=Search><input type=submit name=no value=Cancel></form>`, "Search", "POST /dir/page.aspx?old=1 a=1&go=Search"},
		"a button element":                      {`<form method=post><button name=go value=1>Do search</button></form>`, "search", "POST /dir/page.aspx?old=1 go=1"},
		"an image":                              {`<form method=post><input type=image name=go alt="Search now"></form>`, "Search", "POST /dir/page.aspx?old=1 go.x=0&go.y=0"},
		"a button with an action of its own":    {`<form><button formaction=/b formmethod=post name=go value=1>Go</button></form>`, "Go", "POST /b go=1"},
		"no action where there is a base":       {`<base href="/other/"><form method=post><input name=a value=1></form>`, "", "POST /dir/page.aspx?old=1 a=1"},
		"an empty action where there is a base": {`<base href="/other/"><form action=" "><input name=a value=1></form>`, "", "GET /dir/page.aspx?a=1"},
		"base":                                  {`<base href="/other/"><form action=x></form>`, "", "GET /other/x"},
		"a form between the parts of a table":   {`<table><form method=post action=/t><tr><td><input name=a value=1></td></tr></form></table><input name=b value=2>`, "", "POST /t a=1&b=2"},
		"a control outside that names its form": {`<input name=a value=1 form=f><form id=f method=post action=/t><input name=b value=2></form>`, "", "POST /t b=2"},
	} {
		t.Run(name, func(t *testing.T) {
			p, last := served(t, utf8HTML, c.html)
			form, err := p.Form("form")
			require.NoError(t, err)
			var button *agent.Field
			if c.button != "" {
				button = form.Button(c.button)
				require.NotNil(t, button)
			}
			_, err = form.Submit(t.Context(), button)
			require.NoError(t, err)
			assert.Equal(t, c.want, last())
		})
	}
}

func TestFormIsSentInThePagesEncoding(t *testing.T) {
	p, last := served(t, "text/html; charset=windows-1252", "<form><input name=a value='caf\xe9 \x96'><input name=b value='&#9731;'></form>")
	form, err := p.Form("form")
	require.NoError(t, err)
	_, err = form.Submit(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "GET /dir/page.aspx?a=caf%E9+%96&b=%26%239731%3B", last())
}

func TestMultipart(t *testing.T) {
	var got map[string][]string
	a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
			assert.NoError(t, err)
			assert.Equal(t, "multipart/form-data", kind)
			assert.NoError(t, r.ParseMultipartForm(1<<20))
			got = r.MultipartForm.Value
		}
		io.WriteString(w, `<form method=post enctype="multipart/form-data"><input name=a value="1 &amp; 2"></form>`)
	})
	p, err := a.Get(t.Context(), base)
	require.NoError(t, err)
	form, err := p.Form("form")
	require.NoError(t, err)
	_, err = form.Submit(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"a": {"1 & 2"}}, got)
}

func TestChangeAForm(t *testing.T) {
	p, last := served(t, utf8HTML, `<form id=aspnetForm method=post>
		<input type=hidden name=__VIEWSTATE value=v>
		<input type=radio name=list value=1 checked><input type=radio name=list value=2>
		<input type=checkbox name=chkAgree$1>
		<input name=ctl00$FromDatePicker$dateTextBox value=x></form>`)
	form, err := p.Form("#aspnetForm")
	require.NoError(t, err)
	form.Choose(form.Fields()[2])
	form.Choose(form.Match(regexp.MustCompile("Agree")))
	form.Match(regexp.MustCompile("FromDatePicker")).Value = "1/1/2019"
	assert.Nil(t, form.Field("nothing"))
	assert.Nil(t, form.Button("Search"))
	_, err = form.Postback(t.Context(), "ctl00$grid", "Page$2")
	require.NoError(t, err)
	assert.Equal(t, "POST /dir/page.aspx?old=1 __VIEWSTATE=v&list=2&chkAgree%241=on&ctl00%24FromDatePicker%24dateTextBox=1%2F1%2F2019&__EVENTTARGET=ctl00%24grid&__EVENTARGUMENT=Page%242", last())
}

func TestMissingFormNamesWhatIsThere(t *testing.T) {
	p, _ := served(t, utf8HTML, `<form id=login><input name=user><input type=submit value="Log in"></form>`)
	_, err := p.Form("#aspnetForm")
	assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
	assert.ErrorContains(t, err, "no form #aspnetForm in "+p.URL.String()+" (found: form#login)")
	form, err := p.Form("form")
	require.NoError(t, err)
	assert.ErrorContains(t, form.Missing("button Search"), "(found: user, button Log in)")
}

func TestParsePostback(t *testing.T) {
	for script, want := range map[string][2]string{
		`javascript:__doPostBack('ctl00$grid','Page$2')`: {"ctl00$grid", "Page$2"},
		`javascript:__doPostBack("ctl00$grid", "")`:      {"ctl00$grid", ""},
		`__doPostBack('a\'b','')`:                        {"a'b", ""},
		`javascript:WebForm_DoPostBackWithOptions(new WebForm_PostBackOptions("ctl00$tab", "x", true))`: {"ctl00$tab", "x"},
		`setTimeout('__doPostBack(\'x\',\'\')', 0)`:                                                     {},
		`return false;__doPostBack('a','b')`:                                                            {},
		`javascript:return false; __doPostBack('a','b')`:                                                {},
		`Default.aspx`: {},
	} {
		target, argument, ok := agent.ParsePostback(script)
		assert.Equal(t, want, [2]string{target, argument}, script)
		assert.Equal(t, want[0] != "", ok, script)
	}
}

func TestListing(t *testing.T) {
	var l agent.Listing
	for i := range 1000 {
		seen, err := l.Seen(fmt.Sprint("page ", i))
		require.NoError(t, err)
		require.False(t, seen)
	}
	seen, err := l.Seen("page 7")
	assert.NoError(t, err)
	assert.True(t, seen)
	_, err = l.Seen("one more")
	assert.ErrorContains(t, err, "more than 1000 pages")
}

func FuzzPage(f *testing.F) {
	f.Add([]byte("<form><input name=a></form>"), "text/html; charset=utf-8")
	f.Add([]byte("\xff\xfe<\x00"), "text/html")
	f.Add([]byte(`<?xml version="1.0" encoding="x"?>`), "text/xml; charset=")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		a := agent.New(agent.Config{Fetch: fetch.Config{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Request: r, Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(strings.NewReader(string(body)))}, nil
		})}})
		p, err := a.Get(t.Context(), "http://a.example/")
		if err != nil {
			return
		}
		assert.Equal(t, strings.ToValidUTF8(p.Text, "?"), p.Text)
		forms, err := p.Forms()
		if err != nil {
			return
		}
		for _, form := range forms {
			form.Values(nil).Encode()
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
