// Package authorities is the registry: which councils there are, on which platform each is, and what reads it.
//
//	authorities.yml (embedded), then files of one's own → rows, checked → Registry → Select → Entry with its Scraper
//
// A row is data. A platform is a package of its own below this one; none knows another. What they share is how registers are
// read (register) and how ASP.NET pages move (aspnet).
package authorities
