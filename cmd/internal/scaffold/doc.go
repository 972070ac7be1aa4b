// Package scaffold writes the module of a family of sites that somebody begins with: one that runs at once, with a platform, a
// registry, a built-in site and a test of its own.
//
//	Module + templates → files → a folder that was not there, or was empty
//
// The files stand in templates: those that end in .tmpl are filled in, the others are copied.
package scaffold
