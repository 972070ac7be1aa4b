package cli_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

// What was told in the last ten minutes is listed, the last first, without passwords.
func TestTroublesLately(t *testing.T) {
	at := time.Date(2026, 11, 21, 1, 17, 0, 0, time.UTC)
	var troubles cli.Troubles
	assert.Empty(t, troubles.Lately(at))
	for i := range 12 {
		assert.True(t, troubles.News(fmt.Sprintf("GET http://me:secret@a.example/%d: no", i), at.Add(time.Duration(i)*time.Minute)))
	}
	assert.False(t, troubles.News("GET http://me:secret@a.example/11: no", at.Add(11*time.Minute+time.Second)), "it was told a second ago")
	now := troubles.Lately(at.Add(12 * time.Minute))
	assert.Len(t, now, 9)
	assert.Equal(t, "GET http://a.example/11: no", now[0])
	assert.Len(t, troubles.Lately(at.Add(11*time.Minute)), 10)
}
