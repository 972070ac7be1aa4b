// Package exhibit shows the pages of a recording as they looked.
//
// A page moves through it like this:
//
//	cassette ─▶ body as it was sent ─▶ decoded text ─▶ Clean: markup that can do nothing ─▶ Page
//
// What comes out may stand in a frame of any page: it has no script, no link that can be followed, no form that can be sent, and nothing that
// a browser would fetch. A policy in it forbids all of that once more, so each of the two walls would do alone. Styles that stand in the page
// itself are kept; those in files of their own were never recorded.
package exhibit
