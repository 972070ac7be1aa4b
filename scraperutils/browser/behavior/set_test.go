package behavior_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/browser/behavior"
)

// published has every key that brozzler's own file uses, in the forms that it has had.
const published = `
# a comment
-
  url_regex: '^https?://(?:www\.)?social\.example/.*$'
  behavior_js_template: social.js
  request_idle_timeout_sec: 30
- # with a ticket's address
  url_regex: '^https?://.*[?&]catalog=[^?]*$'
  behavior_js_template: simpleclicks.js.j2
  default_parameters:
     click_css_selector: a[onclick]
     click_until_hard_timeout: False
  request_idle_timeout_sec: 10
- url_regex: '^https?://(?:www\.)?sound.example/.*$'
  behavior_js_template: simpledo.js.j2
  default_parameters:
     sdo_css_selector: button.play
     sdo_action: mouseover
     sdo_until_hard_timeout: True
- url_regex: '^https?://.*\.gov\.example/.*$'
  behavior_js_template: mouseovers.js.j2
  default_parameters:
     mouseover_css_selector: .menu
     mouseover_until_hard_timeout: False
- url_regex: '^https?://(?:www\.)?umbra.example/.*$'
  behavior_js_template: umbraBehavior.js.j2
  default_parameters:
    interval: 1000
    actions:
      - selector: a.item
        childSelector: button.next
        closeSelector: .modal .close
        rmSelector: '#banner'
        repeatSameElement: true
        limit: 5
        extractOutlinks: true
      - selector: .menu
        do: mouseover
      - selector: button.again
        repeatUntilSelector: .end
-
  url_regex: '^.*$'
  request_idle_timeout_sec: 10
  behavior_js_template: default.js
`

// The first entry that matches says what to do; parameters of a message take its place.
func TestFor(t *testing.T) {
	set, err := behavior.Parse([]byte(published))
	require.NoError(t, err)
	scroll := behavior.Action{Do: behavior.Scroll}
	standard, err := behavior.Default().For("http://any.example/", nil)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		url        string
		parameters map[string]any
		want       behavior.Behavior
	}{
		"a script that can't be run": {"https://www.social.example/x", nil, standard},
		"clicks":                     {"http://a.example/?catalog=1", nil, behavior.Behavior{Interval: 300 * time.Millisecond, Actions: []behavior.Action{{Selector: "a[onclick]", Do: "click"}, scroll}}},
		"hovering, again and again":  {"http://sound.example/", nil, behavior.Behavior{Interval: 300 * time.Millisecond, Actions: []behavior.Action{{Selector: "button.play", Do: "mouseover", RepeatSameElement: true}, scroll}}},
		"hovering":                   {"http://x.gov.example/", nil, behavior.Behavior{Interval: 300 * time.Millisecond, Actions: []behavior.Action{{Selector: ".menu", Do: "mouseover"}, scroll}}},
		"actions": {"http://umbra.example/", nil, behavior.Behavior{Interval: time.Second, Actions: []behavior.Action{
			{Selector: "a.item", Do: "click", ChildSelector: "button.next", CloseSelector: ".modal .close", RemoveSelector: "#banner", RepeatSameElement: true, Limit: 5, ExtractOutlinks: true},
			{Selector: ".menu", Do: "mouseover"},
			{Selector: "button.again", Do: "click", RepeatUntilSelector: ".end"},
			scroll,
		}}},
		"anything else": {"http://other.example/", nil, standard},
		"a message's actions": {"http://umbra.example/", map[string]any{"actions": []any{map[string]any{"selector": "b"}}, "unknown": 1}, behavior.Behavior{
			Interval: time.Second, Actions: []behavior.Action{{Selector: "b", Do: "click"}, scroll},
		}},
		"a message's interval": {"http://a.example/?catalog=1", map[string]any{"interval": 50.0}, behavior.Behavior{
			Interval: 50 * time.Millisecond, Actions: []behavior.Action{{Selector: "a[onclick]", Do: "click"}, scroll},
		}},
		"a message's clicks": {"http://other.example/", map[string]any{"click_css_selector": "b"}, behavior.Behavior{
			Interval: 300 * time.Millisecond, Actions: []behavior.Action{{Selector: "b", Do: "click"}, scroll},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := set.For(c.url, c.parameters)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

// The list may have a name above it, as it once had.
func TestNamedList(t *testing.T) {
	set, err := behavior.Parse([]byte("behaviors:\n - url_regex: '^x'\n   behavior_js: x.js\n   default_parameters: {interval: 7}\n"))
	require.NoError(t, err)
	b, err := set.For("x", nil)
	require.NoError(t, err)
	assert.Equal(t, 7*time.Millisecond, b.Interval)
	b, err = set.For("y", nil)
	require.NoError(t, err)
	assert.Equal(t, behavior.DefaultInterval, b.Interval, "what no entry matches has the default")
}

// What can't be used is one line that says where and what is accepted.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "behaviors: expected a list of entries with url_regex",
		"{a: 1}":                   "behaviors: expected a list of entries with url_regex",
		"[]":                       "behaviors: expected a list of entries with url_regex",
		"- url_regex: x\n- {}":     "behaviors: entry 2 (line 2): expected url_regex",
		"- url_regex: (":           "behaviors: entry 1 (line 1): url_regex: error parsing regexp: missing closing ): `(`: expected a pattern as RE2 has them",
		"- url_regex: x\n  nme: y": "behaviors: entry 1 (line 1): field nme not found: expected url_regex, behavior_js_template, default_parameters (actions, interval) and request_idle_timeout_sec",
		"- url_regex: x\n  default_parameters: {actions: [{selector: a, do: jump}]}":  `behaviors: entry 1 (line 1): action 1: do "jump": expected click, mouseover, hover, play or scroll`,
		"- url_regex: x\n  default_parameters: {actions: [{do: click}]}":              "behaviors: entry 1 (line 1): action 1: expected a selector",
		"- url_regex: x\n  default_parameters: {actions: [{selector: a, limit: -1}]}": "behaviors: entry 1 (line 1): action 1: limit -1: expected 0 (none) or more",
		"- url_regex: x\n  default_parameters: {interval: -1}":                        "behaviors: entry 1 (line 1): interval -1: expected milliseconds, 60000 at most",
	} {
		_, err := behavior.Parse([]byte(text))
		assert.EqualError(t, err, want, text)
	}
	_, err := behavior.Parse([]byte("a: [b"))
	assert.ErrorContains(t, err, "behaviors: yaml:")
	_, err = behavior.Default().For("http://a/", map[string]any{"actions": []any{map[string]any{"do": 7}}})
	assert.ErrorContains(t, err, "behavior parameters: json: cannot unmarshal number")
}

// A script is one expression, whatever is in a selector.
func TestScript(t *testing.T) {
	b := behavior.Behavior{Actions: []behavior.Action{{Selector: "a[title=\"'`</script>\u2028\"]", Do: "click"}}}
	script := b.Script([]int{3})
	assert.Contains(t, script, `[3]))`)
	assert.NotContains(t, script, "</script>")
	assert.NotContains(t, script, "\u2028")
}

// No file makes it panic, and what it takes can be used.
func FuzzParse(f *testing.F) {
	f.Add(published)
	f.Add("- url_regex: x\n  default_parameters: {actions: [{selector: a}]}")
	f.Fuzz(func(t *testing.T, text string) {
		set, err := behavior.Parse([]byte(text))
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		b, err := set.For("http://a.example/", nil)
		require.NoError(t, err)
		assert.NotEmpty(t, b.Actions)
		assert.Positive(t, b.Interval)
	})
}

func ExampleParse() {
	set, err := behavior.Parse([]byte(`
- url_regex: '^https://shop\.example/'
  default_parameters:
    actions: [{selector: button.more, repeatSameElement: true, limit: 10}]
- url_regex: '^.*$'
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, _ := set.For("https://shop.example/shoes", nil)
	fmt.Println(b.Actions[0].Do, b.Actions[0].Selector, b.Interval)
	// Output: click button.more 300ms
}
