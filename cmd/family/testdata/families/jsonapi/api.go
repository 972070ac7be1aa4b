package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// api is a built-in API with five events.
func api(_ registry.Entry, today time.Time) http.Handler {
	const all = 5
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first, _ := strconv.Atoi(r.FormValue("after"))
		limit, _ := strconv.Atoi(r.FormValue("limit"))
		if limit == 0 {
			limit = 100
		}
		var page struct {
			Events []map[string]any `json:"events"`
			Meta   struct {
				Next *string `json:"next_cursor"`
			} `json:"meta"`
		}
		page.Events = []map[string]any{}
		for n := first; n < min(first+limit, all); n++ {
			event := map[string]any{"id": 9007199254740993 + n, "title": "Event " + strconv.Itoa(n+1), "starts": today.AddDate(0, 0, n).Add(19 * time.Hour), "sold_out": n == 2}
			if n > 0 {
				event["price"] = json.RawMessage("12.50")
			}
			page.Events = append(page.Events, event)
		}
		if first+limit < all {
			next := strconv.Itoa(first + limit)
			page.Meta.Next = &next
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(page)
	})
}
