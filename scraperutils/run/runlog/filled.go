package runlog

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Limits of what is known of a field.
const (
	groupRecords = 5    // of consecutive runs, taken together
	learnGroups  = 5    // groups before a field is known
	learnRecords = 10   // different records in them, as far as can be told
	doubtFew     = 3    // records of a run that say something of a field
	surely       = 1e-5 // below this chance does not explain what is missing
	likely       = 0.05 // nor below this, where there are doubts already
)

// emptied returns what is to be said of fields that are filled much less than ever before, by field. Of one or two records there
// is something to say only where there are doubts already.
func emptied(now Yield, past []pastYield, doubted bool) map[string]string {
	if now.Records == 0 || now.Records < doubtFew && !doubted {
		return nil
	}
	chance := surely
	if doubted {
		chance = likely
	}
	remarks := map[string]string{}
	groups, different := grouped(past)
	for name := range fieldsOf(groups) {
		if usual, missing := missesField(name, now, groups, different, chance); missing {
			remarks[name] = fmt.Sprintf("%s filled in %s, usually in %s", name, percent(now.filled(name)), percent(usual))
		}
	}
	return remarks
}

// grouped joins consecutive yields that were not doubted until each has records enough to tell a share. It also returns how
// many different records they hold at least: most lists show the same ones again for weeks.
func grouped(past []pastYield) (groups []Yield, different int) {
	var open Yield
	var mark uint64
	largest := 0
	for _, y := range past {
		if y.doubted || y.Records == 0 {
			continue
		}
		if y.Mark != mark {
			different, mark = different+1, y.Mark
		}
		largest = max(largest, y.Records)
		if open = open.with(y.Yield); open.Records >= groupRecords {
			groups = append(groups, open)
			open = Yield{}
		}
	}
	return groups, different + largest
}

func fieldsOf(groups []Yield) map[string]bool {
	names := map[string]bool{}
	for _, g := range groups {
		for name := range g.Filled {
			names[name] = true
		}
	}
	return names
}

// with returns the records of both.
func (y Yield) with(other Yield) Yield {
	sum := Yield{Records: y.Records + other.Records, Filled: maps.Clone(y.Filled)}
	if sum.Filled == nil {
		sum.Filled = map[string]int{}
	}
	for name, n := range other.Filled {
		sum.Filled[name] += n
	}
	return sum
}

// filled is the share of records in which a field holds something.
func (y Yield) filled(name string) float64 {
	if y.Records == 0 {
		return 0
	}
	return float64(y.Filled[name]) / float64(y.Records)
}

// missesField reports whether a field is filled in less than half of the smallest share known, and chance does not explain it.
func missesField(name string, now Yield, groups []Yield, different int, chance float64) (usual float64, missing bool) {
	if len(groups) < learnGroups || different < learnRecords {
		return 0, false
	}
	shares := make([]float64, len(groups))
	for i, g := range groups {
		shares[i] = g.filled(name)
	}
	slices.Sort(shares)
	usual, least := shares[len(shares)/2], shares[0]
	return usual, now.lacks(name, least, different, chance)
}

// lacks reports whether a field is filled in less than half of a share, which so many records have shown, and chance does not explain it.
func (y Yield) lacks(name string, share float64, shown int, chance float64) bool {
	if share == 0 || y.filled(name) >= share/2 {
		return false
	}
	known := float64(shown)
	return atMost(y.Filled[name], y.Records, min(share, (known+0.5)/(known+1))) < chance
}

// Filling is in which share of records a field holds something, from 0 to 1.
type Filling struct {
	Field string  `json:"field"`
	Share float64 `json:"share"`
}

// Filling returns the share of each field that holds something in a record, by name.
func (y Yield) Filling() (all []Filling) {
	for _, name := range slices.Sorted(maps.Keys(y.Filled)) {
		all = append(all, Filling{name, y.filled(name)})
	}
	return all
}

// Fall is a field that holds something in fewer records than before: the shares, from 0 to 1.
type Fall struct {
	Field  string  `json:"field"`
	Before float64 `json:"before"`
	Now    float64 `json:"now"`
}

// Fell returns the fields that hold something in less than half of the share of an earlier yield, where chance does not explain it. It is
// less sure than what makes an authority implausible, which knows more runs than one.
func (y Yield) Fell(before Yield) (all []Fall) {
	if y.Records == 0 || before.Records == 0 {
		return nil
	}
	for _, f := range before.Filling() {
		if y.lacks(f.Field, f.Share, before.Records, likely) {
			all = append(all, Fall{f.Field, f.Share, y.filled(f.Field)})
		}
	}
	return all
}

// atMost is the chance of at most k of n where each has the chance p, which is above 0 and below 1.
func atMost(k, n int, p float64) (sum float64) {
	for i := 0; i <= k; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log(1-p))
	}
	return sum
}

// percent writes a share. What is nearly all or nearly nothing is not called so.
func percent(share float64) string {
	n := math.Round(100 * share)
	if n == 100 && share < 1 {
		n = 99
	}
	if n == 0 && share > 0 {
		n = 1
	}
	return fmt.Sprintf("%.0f%%", n)
}
