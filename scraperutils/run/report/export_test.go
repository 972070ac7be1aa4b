package report

import "time"

// Councils is what the family of councils calls things.
var Councils = Terms{Command: "scrape", Site: "authority", Sites: "authorities", ExpectBad: "MORPH_EXPECT_BAD", Zone: time.FixedZone("+09:30", (9*60+30)*60)}

var councils = Councils
