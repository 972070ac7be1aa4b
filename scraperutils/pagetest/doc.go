// Package pagetest shows pages to a real Chromium, for tests.
//
//	test ── Window: go there, click, run a script ─▶ DevTools pipe ─▶ Chromium
//	     ◀── what a script comes to, what the browser complains of ──┘
//
// One browser serves all tests of a process, one at a time. A page with server-sent events never comes to rest: wait for what it shows, with
// Until. Where there is no Chromium, tests skip.
package pagetest
