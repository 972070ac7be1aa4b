// Package dates decides what a search by date asks for today: which days, in what order, and whose turn it is.
//
// A register that is searched by date gets more work than it has news if all of the last month is asked for every day,
// and loses late changes if only yesterday is. A Plan lies between: the days go into bands, the newest band is asked for in
// every run, the older ones in turn. With the defaults (33 days, 4 every time, each at least every 2nd run):
//
//	days ago   33 ............... 18 ........... 4 ..... 0
//	             older half          newer half    every time
//	even day                     [==============|========]   one range
//	odd day    [=================]              [========]   two ranges
//
// Whose turn it is follows from the date alone, the Julian day number modulo the length of the rota, so nothing has to be
// remembered between runs, and a run that was missed delays a band by one round and no more. The rota has as many days as
// it needs to give each band its period:
//
//	MaxPeriod 2   2 days   newer half, older half
//	MaxPeriod 3   6 days   newest third every 2nd day; the rest in three parts of two ninths, each every 3rd day
//	MaxPeriod 4   4 days   newer half every 2nd day, older half every 4th
//
// Bands share the day at which they meet. The oldest one reaches as many days beyond the window as it waits between its
// turns, so that no day leaves the window without a last look.
//
// The rest of the package is smaller: the date in a time zone (Today), a position in a cycle that the date gives
// (Pick), random order (Shuffle), Fibonacci, the steps at which a long list is sampled, and dates as a locale writes them (ParseIn).
//
// Everything here is a function of what it is given: no clock, no environment, no state.
package dates
