// Package registry reads which sites there are of a family, on which platform each is, and makes what reads it.
//
//	rows built in, then files of one's own → rows, checked → platform: typed options → Registry → Select → Entry with its Scraper
//
// A row is data: YAML or JSON. Its keys are those that the rows of every family have, and the options of its platform. What the
// family calls its sites is a key too, and stands in every error: see Terms.
package registry
