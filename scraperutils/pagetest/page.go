package pagetest

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
)

// Document is what the page is now.
func (w *Window) Document() *goquery.Document {
	w.t.Helper()
	var text string
	w.Run("document.documentElement.outerHTML", &text)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	require.NoError(w.t, err)
	return doc
}

// Turn goes to another fragment of the page that is open, and waits until its script has heard of it.
func (w *Window) Turn(fragment string) {
	w.t.Helper()
	to, err := json.Marshal("#" + fragment)
	require.NoError(w.t, err)
	var heard bool
	w.Run(`new Promise((done) => {
		addEventListener("hashchange", () => done(true), { once: true });
		location.replace(`+string(to)+`);
	})`, &heard)
}

// Probe runs a script in a page, and returns what that puts into answer, an object. In it, wait lets the page's own events come.
func (w *Window) Probe(script string, answer any) {
	w.t.Helper()
	w.Run(`(async () => {
		const wait = () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done)), 1));
		const answer = {};
		`+script+`
		return answer;
	})()`, answer)
}

// Press presses and lets go of a key.
func (w *Window) Press(key string) {
	w.t.Helper()
	text := map[string]string{"Enter": "\r"}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		params := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": map[string]int{"Tab": 9, "Enter": 13}[key]}
		if text != "" && kind == "keyDown" {
			params["text"] = text
		}
		w.Call("Input.dispatchKeyEvent", params, nil)
	}
}

// Until waits until an expression is true in the page, also while that leads to another one.
func (w *Window) Until(expression string) {
	w.t.Helper()
	script := map[string]any{"expression": "!!(" + expression + ")", "returnByValue": true}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var value struct{ Result struct{ Value bool } }
		if w.try("Runtime.evaluate", script, &value) == nil && value.Result.Value { // a script that fails is none that is true yet
			return
		}
		require.True(w.t, time.Now().Before(deadline), "this does not come true: %s", expression)
	}
}

// Click clicks on what a selector finds first. It has to be in sight: a person could do so.
func (w *Window) Click(selector string) {
	w.t.Helper()
	text, err := json.Marshal(selector)
	require.NoError(w.t, err)
	var clicked bool
	w.Run(`(() => {
		const e = document.querySelector(`+string(text)+`);
		if (!e) return false;
		e.scrollIntoView({ block: "center", behavior: "instant" });
		const box = e.getClientRects()[0];
		if (!e.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2))) return false;
		e.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window })); // before anything moves
		return true;
	})()`, &clicked)
	require.True(w.t, clicked, "%s is not to be seen", selector)
}
