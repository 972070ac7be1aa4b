// Package scope decides which links of a page are followed.
//
// A link moves through it like this:
//
//	link ─▶ Wants: on a host that counts? near enough? included, not excluded? ─▶ trap by its form? ─┬─▶ known: nothing to do
//	                                                                                              └─▶ new: its Series ─▶ Found
//
// A link that is out of scope is passed over without a word: the web is full of them. One that is in scope and left out all the same was
// taken for a trap, is counted by the rule that says so, and can be seen.
//
// Most rules look at the URL alone. A series needs more: it is pages of one shape, each of which led to the next one and to nothing else
// that was new. A calendar is one, and has no end. The pages of a list are none, for each leads to what it lists; nor are pages that
// lead to each other in all directions, for the way to each of them is short.
//
// The package is pure: it asks nobody, and what it is told does not change while it looks.
package scope
