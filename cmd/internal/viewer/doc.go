// Package viewer shows recorded pages to a person, by flags or at a prompt.
//
//	look.Tape ─▶ View ─┬▶ List, Outline, Find, Differ: lines of text
//	                   └▶ Shell: the same by commands, and clicks and forms that fetch further pages
//
// What pages say is printed through the writer that the caller gives, which must escape what acts on a terminal (cli.Printer).
package viewer
