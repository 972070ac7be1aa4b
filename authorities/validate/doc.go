// Package validate says what a good record is: of one record before it is saved, and of all of them in a finished database.
//
// A record on its way into the database is checked against what its importers accept:
//
//	Record → required fields, info_url, dates, limits → nil, or *scraperutils.UnprocessableRecord with every reason
//
// The records of a finished database are checked for what no single one can show. A Checker takes them through these in
// turn, writes what it finds and stops at the first that fails:
//
//	[]Record ─▶ addresses     enough different ones can be found on a map
//	         ─▶ descriptions  enough different ones tell something
//	         ─▶ references    each record has its own
//	         ─▶ pages         a sample of them answers           ─┐
//	            details       they show what the record says     ◀─┘
//	         or the one page  where all records share it
//
// What "enough" is, and the rest of the settings, stand in Settings, which ReadSettings reads from a file.
//
// Nothing here holds state between calls; pages are fetched by what the caller hands in, one after the other.
package validate
