// Package tables reads the tables of pages by what their columns mean, not by where they stand or how a site calls them.
//
// A row is read like this:
//
//	page → Find, with a Vocabulary → Found: the first table with the columns that are needed → Rows → Text(row, meaning)
//
// A Vocabulary has, for each meaning, the names that sites are known to use. Names are compared after folding case, spaces and
// punctuation, so that "Permit No.:" and "permit no" are one. Unknown columns are passed over, and so are rows with another number
// of cells than the header has: pagers and notes. A table that lacks a column that is needed is a scraperutils.LayoutError.
//
// The package holds no state.
package tables
