// Package behavior says what to do with a page once it is loaded: scroll, open what is closed, hover over menus, play media.
//
//	YAML ─▶ Parse ─▶ Set ─▶ For: the first entry whose url_regex matches, a message's parameters in its place ─▶ Behavior
//	                                                                                                         │
//	frame of a page ◀── Script: one step of it, over and over ◀── whoever has the page, its limits and its time ┘
//
// A step does one thing in one frame. It removes something, scrolls by 0.8 screens, plays media, or says where to click or hover, which
// the caller does by real input. Each element is acted on once unless its action says otherwise. Actions earlier in the list have
// priority, also when there is something new for them to do; scrolling comes last.
//
// The YAML has brozzler's format: a list, or the same list below "behaviors". The package can't run templates of scripts. It understands
// their parameters for clicks and hovering. An entry without parameters does what the built-in set does.
package behavior
