package scraperutils

import "slices"

// Nearest returns the known names that differ least from one that nobody knows, for an error that asks "did you mean": at most
// three, the nearest first, none that differs in more letters than most or in half of its own.
func Nearest(name string, known []string, most int) []string {
	type candidate struct {
		name     string
		distance int
	}
	var all []candidate
	for _, k := range known {
		limit := min(most, len(k)/2)
		if len(k)-len(name) > limit || len(name)-len(k) > limit {
			continue
		}
		if d := distance(name, k); d <= limit {
			all = append(all, candidate{k, d})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.distance - b.distance })
	var best []string
	for _, c := range all {
		if len(best) < 3 && c.distance <= all[0].distance+1 {
			best = append(best, c.name)
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
