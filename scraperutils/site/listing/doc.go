// Package listing walks over the pages of a list, and reads the rows of one.
//
//	URL → Pages, with a Next → page → Rows → the scraper's own code
//	          ▲                  │
//	          └──── Next ◀───────┘   until there is no next page
//
// A Next finds the page that follows one: NextLink and NextText by a link, PageLinks by the number on it, Numbered and Offset by an
// address that they fill in, NextURL and Cursor by a field of a JSON page, NextButton by pressing a button. It is a function: a site
// that does it in a way of its own has one of its own.
//
// A walk ends where Next finds nothing, and at a page that it had before: many sites show their last page again for every number
// beyond it. Pages are compared by what their rows say, where EachRow or EachItem names those, and else by all of their text; with
// them, a page without rows ends the walk too. More pages than a list can have are an *agent.EndlessError.
//
// A walk is straight-line code of the operation that it runs in. The package holds no state, and a Next may be used by any number of
// walks.
package listing
