package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

type product struct {
	Name  string      `json:"name"`
	Price json.Number `json:"price"`
	Note  string      `json:"note,omitempty"`
	Sold  *time.Time  `json:"sold"`
}

type products struct {
	Items []product `json:"items"`
	Next  *string   `json:"next"`
}

func TestJSON(t *testing.T) {
	const good = `{"items":[{"name":"a","price":19007199254740993.10,"sold":null,"else":1}],"next":null}`
	p, _ := served(t, "application/json", good)
	var got products
	require.NoError(t, p.JSON(&got))
	assert.Equal(t, "19007199254740993.10", got.Items[0].Price.String())
	var loose map[string]any
	require.NoError(t, p.JSON(&loose))
	assert.Equal(t, json.Number("19007199254740993.10"), loose["items"].([]any)[0].(map[string]any)["price"])
}

func TestJSONThatIsNot(t *testing.T) {
	item := func(fields string) string {
		return `{"items":[{"name":"a","price":1,"sold":null},{` + fields + `}],"next":null}`
	}
	for name, c := range map[string]struct{ text, want string }{
		"an HTML page":              {"<title>Oops</title><h1>Error 500</h1>", `no JSON in %s (found: invalid character '<' looking for beginning of value); the page has title Oops; headings Error 500`},
		"nothing":                   {"", "no JSON in %s (found: EOF)"},
		"half of it":                {`{"items":[`, `no JSON in %s (found: unexpected EOF); the page has text {"items":[`},
		"two":                       {item(`"name":"b","price":1,"sold":null`) + " {}", "no end of the JSON in %s (found: {})"},
		"an error message":          {`{"message":"no such key"}`, "no field items in the JSON in %s (found: message)"},
		"a field that is gone":      {item(`"name":"b","sold":null`), "no field items[1].price in the JSON in %s (found: name, sold)"},
		"null where there is none":  {item(`"name":null,"price":1,"sold":null`), "no field items[1].name in the JSON in %s (found: null)"},
		"another type":              {item(`"name":{},"price":1,"sold":null`), "no string in field items.name of the JSON in %s (found: object)"},
		"a list instead of one":     {`[]`, "no agent_test.products in the JSON in %s (found: array)"},
		"a wall":                    {"<h1>Are you human?</h1>", "blocked by %s"},
		"a page about maintenance":  {"<h1>Down for maintenance</h1>", "Maintenance: Down for maintenance (%s)"},
		"a number that is no price": {item(`"name":"b","price":"x","sold":null`), "no JSON in %s (found: json: invalid number literal"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := served(t, "application/json", c.text)
			var into products
			assert.ErrorContains(t, p.JSON(&into), strings.ReplaceAll(c.want, "%s", p.URL.String()))
		})
	}
}

func TestJSONOfManyShapes(t *testing.T) {
	type base struct{ ID int }
	type node struct {
		base
		Skipped  string          `json:"-"`
		Children []node          `json:"children,omitempty"`
		By       map[string]base `json:"by,omitempty"`
		Raw      json.RawMessage `json:"raw,omitzero"`
		hidden   int
	}
	p, _ := served(t, "application/json", `{"id":1,"children":[{"ID":2,"by":{"x":{"id":3},"y":{}}}]}`)
	var n node
	assert.ErrorContains(t, p.JSON(&n), "no field children[0].by.y.ID in the JSON")
	assert.Zero(t, n.hidden)
}

func TestPostJSON(t *testing.T) {
	a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.Header.Get("Content-Type"), r.Header.Get("Accept"), r.Header.Get("X"), body)
	})
	p, err := a.PostJSON(t.Context(), base, map[string]int{"page": 1})
	require.NoError(t, err)
	assert.Equal(t, `POST application/json application/json  {"page":1}`, p.Text)
	p, err = p.PostJSON(t.Context(), "more", []string{"<"}, func(r *scraperutils.Request) { r.Header.Set("X", "y") })
	require.NoError(t, err)
	assert.Equal(t, `POST application/json application/json y ["\u003c"]`, p.Text)
	_, err = p.PostJSON(t.Context(), "more", func() {})
	assert.ErrorContains(t, err, "post to "+base+"/more: json: unsupported type")
	p, err = p.Get(t.Context(), "/", agent.AcceptJSON)
	require.NoError(t, err)
	assert.Equal(t, "GET  application/json  ", p.Text)
}

func ExamplePage_JSON() {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"items": [{"name": "Rye bread", "price": 4.50}]}`)
	}))
	defer api.Close()
	page, err := agent.New(agent.Config{}).Get(context.Background(), api.URL, agent.AcceptJSON)
	if err != nil {
		fmt.Println(err)
		return
	}
	var answer struct {
		Items []struct {
			Name  string      `json:"name"`
			Price json.Number `json:"price"`
		} `json:"items"`
	}
	if err := page.JSON(&answer); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Items[0].Name, answer.Items[0].Price)
	// Output: Rye bread 4.50
}

// Whatever a page is, it is read or refused, and described in few words.
func FuzzJSONAndDescription(f *testing.F) {
	f.Add(`{"items":[{"name":"a","price":1,"sold":null}],"next":null}`)
	f.Add(`<title>a</title><table id=b class="c d"><tr><th>e</table><form id=f><input name=g></form>`)
	f.Fuzz(func(t *testing.T, text string) {
		client := scripted{"/": {Status: http.StatusOK, Body: []byte(text), Header: http.Header{"Content-Type": {utf8HTML}}}}
		p, err := agent.New(agent.Config{Client: client}).Get(t.Context(), "http://a.example/")
		if err != nil {
			return
		}
		var strict products
		if err := p.JSON(&strict); err == nil && !json.Valid([]byte(p.Text)) {
			t.Fatalf("%q is no JSON", p.Text)
		}
		length := 0
		for _, part := range p.Describe() {
			length += len(part.String())
		}
		if length > 10_000 {
			t.Fatalf("a description of %d bytes", length)
		}
	})
}
