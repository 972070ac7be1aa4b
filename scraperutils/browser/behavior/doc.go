// Package behavior says what to do with a page once it is loaded: scroll, open what is closed, hover menus, play media.
//
//	YAML ─▶ Parse ─▶ Set ─▶ For: the first entry whose url_regex matches, a message's parameters in its place ─▶ Behavior
//	                                                                                                         │
//	frame of a page ◀── Script: one step of it, over and over ◀── whoever has the page, its limits and its time ┘
//
// A step does one thing in one frame: it removes something, scrolls by 0.8 screens, plays media, or says where to click or to hover, which
// is done by real input. Each element is acted on once unless its action says otherwise. What comes first in the list of actions is done
// first, and again as soon as there is something new to do; scrolling comes last.
//
// The form of the YAML is brozzler's: a list, or the same list below "behaviors". Templates of scripts can't be run; their parameters for
// clicks and hovering are understood, and an entry without parameters does what the built-in set does.
package behavior
