package urls

import (
	"bytes"
	"strings"
)

// DefaultSessionIDs returns the names of parameters that identify a session, not a page.
func DefaultSessionIDs() []string {
	return append([]string(nil), sessionIDs...)
}

// sessionIDs are what PHP forums, Java, PHP, ASP and ColdFusion add to links for those who send no cookies.
var sessionIDs = []string{"sid", "jsessionid", "PHPSESSID", "ASPSESSIONID*", "CFID", "CFTOKEN"}

// isSession reports whether a parameter, in canonical form, names a session.
func (f Form) isSession(parameter []byte) bool {
	names := f.SessionIDs
	if names == nil {
		names = sessionIDs
	}
	own, _, _ := bytes.Cut(parameter, []byte("="))
	for _, name := range names {
		if start, all := strings.CutSuffix(name, "*"); all {
			if len(own) >= len(start) && equalFold(own[:len(start)], start) {
				return true
			}
		} else if equalFold(own, name) {
			return true
		}
	}
	return false
}

// equalFold compares ASCII names in any case, without an allocation.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range b {
		if lower(b[i]) != lower(s[i]) {
			return false
		}
	}
	return true
}
