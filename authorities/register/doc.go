// Package register is how a council's planning register is read, whoever sold it.
//
// A row becomes a record like this:
//
//	page → Table or XML → Vocabulary: columns by their meaning → Application → Visit.Save → Record
//
// All tolerance stands here: names are compared after folding case, spaces and punctuation, dates are read in every form
// that councils write, an unknown column is passed over. What a row lacks is that row's failure; what a page lacks is a
// scraperutils.LayoutError that names what was there instead.
package register
