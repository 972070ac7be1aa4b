// Package scope decides which links of a page are followed.
//
// A link moves through it like this:
//
//	link ─▶ Wants: on a host that counts? near enough? included, not excluded? ─▶ trap by its form? ─┬─▶ known: nothing to do
//	                                                                                              └─▶ new: its Series ─▶ Found
//
// The package silently ignores a link that is out of scope, because the web is full of them. If it leaves out a link that is in scope, it
// took the link for a trap. It counts such links by rule, so that a user can see them.
//
// Most rules look at the URL alone. A series needs more. It consists of pages of one shape, each of which led to the next one and to
// nothing else new. A calendar is a series, and has no end. The pages of a list are not, because each leads to the items that it lists.
// Pages that lead to each other in all directions are not either, because the path to each of them is short.
//
// The package is pure: it makes no requests, and its input must not change while it looks.
package scope
