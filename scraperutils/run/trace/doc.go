// Package trace keeps what each operation of a run was doing when.
//
// A [Timeline] listens to the events of the schedule loop and makes a [Line] of each operation: the stretches of its time,
// and how much of it went where. A line's JSON is what is stored of it.
package trace
