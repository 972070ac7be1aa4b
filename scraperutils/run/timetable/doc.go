// Package timetable begins runs at the times that a line of cron names, one at a time.
//
//	"17 1 * * *", zone → Timetable.Next → Keeper: wait, jitter → Run ─┐
//	                          ▲                                       │
//	                          └──────────── when it has ended ◀───────┘
//
// A run that was due while nobody kept the timetable is made up once, when somebody does again. A time that comes while a run goes
// on is passed over.
package timetable
