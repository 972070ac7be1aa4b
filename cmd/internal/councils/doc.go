// Package councils is the family of Australian councils' planning registers: what the command scrape has beside what the command of
// every family has.
//
//	authorities (rows, platforms), authorities/validate (good records), fixtures (built-in sites) → Family → cmd/family
package councils
