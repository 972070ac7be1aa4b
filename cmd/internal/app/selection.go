package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// expand returns the labels that a list of labels and platform/* stands for. Its error names the list.
func expand(registry *authorities.Registry, name string, list []string) (labels []string, err error) {
	if len(list) == 0 { // which would be all of them
		return nil, nil
	}
	entries, err := registry.Select(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, e := range entries {
		labels = append(labels, e.Label)
	}
	return labels, nil
}

// playable leaves out, of what is to be replayed, those that have no recording, and returns their labels too: all that a folder
// holds can be played so. One that was named by its label stays, and fails.
func (r *runCommand) playable(entries []authorities.Entry, named []string) (left []authorities.Entry, absent []string, err error) {
	if r.Replay == "" {
		return entries, nil, nil
	}
	for _, e := range entries {
		if egress.Exists(egress.TapePath(r.Replay, targetOf(e))) || slices.Contains(named, e.Label) || slices.Contains(named, e.Platform+"/"+e.Label) {
			left = append(left, e)
		} else {
			absent = append(absent, e.Label)
		}
	}
	if len(left) == 0 {
		return nil, nil, &scraperutils.ConfigError{Name: "--replay", Value: r.Replay, Accepted: "a folder with recordings of what is selected: PLATFORM/AUTHORITY.yml"}
	}
	return left, absent, nil
}

// unknownFailuresError says that all that failed last time are authorities of which no row is known.
type unknownFailuresError struct{ labels []string }

func (e *unknownFailuresError) Error() string {
	return "--failed: no row is known of what failed last time: " + strings.Join(e.labels, ", ") + "; give the file of rows, --authorities FILE"
}

// failedLastTime keeps, of a selection, those whose latest outcome is a failure, or whose run was over before they were. It says so
// where there are none.
func (r *runCommand) failedLastTime(ctx context.Context, q runlog.Querier, registry *authorities.Registry, entries []authorities.Entry, log zerolog.Logger) (left []authorities.Entry, err error) {
	failing, err := runlog.Failing(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if failing[e.Label] {
			left = append(left, e)
		}
	}
	unknown := withoutRow(registry, failing)
	switch {
	case len(entries) < len(registry.All()): // a selection: what else failed is not asked for
	case len(unknown) > 0 && len(left) == 0:
		return nil, &unknownFailuresError{unknown}
	case len(unknown) > 0:
		log.Warn().Msg((&unknownFailuresError{unknown}).Error())
	}
	if len(left) == 0 {
		log.Info().Msg("nothing failed last time")
	}
	return left, nil
}

// withoutRow returns the authorities that fail and that a registry does not know.
func withoutRow(registry *authorities.Registry, failing map[string]bool) (labels []string) {
	known := map[string]bool{}
	for _, e := range registry.All() {
		known[e.Label] = true
	}
	for _, label := range slices.Sorted(maps.Keys(failing)) {
		if failing[label] && !known[label] {
			labels = append(labels, label)
		}
	}
	return labels
}
