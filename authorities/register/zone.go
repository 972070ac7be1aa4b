package register

import "time"

// Zone returns the time zone whose date is that of a run: the middle of Australia (UTC+09:30), so that east and west agree for most
// of the day.
func Zone() *time.Location { return time.FixedZone("+09:30", (9*60+30)*60) }
