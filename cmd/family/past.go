package family

import (
	"context"
	"time"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

// reading opens a database for one reading of it.
func reading[T any](ctx context.Context, path string, read func(*db.Reader) (T, error)) (T, error) {
	reader, err := db.OpenReader(ctx, path)
	if err != nil {
		var none T
		return none, err
	}
	defer reader.Close()
	return read(reader)
}

// readOverview reads what a database says of a run, or of the last one for "".
func (f *Family) readOverview(ctx context.Context, path, run string, sites map[string]report.Site) (*report.Overview, error) {
	return reading(ctx, path, func(r *db.Reader) (*report.Overview, error) {
		return report.Read(ctx, r, report.View{Database: path, Now: time.Now(), Run: run, Process: db.Holder(path), Sites: sites, Terms: f.terms()})
	})
}

// cover is what pages say of a database.
func (f *Family) cover(path string) report.Cover {
	return report.Cover{Database: path, Made: time.Now(), Terms: f.terms()}
}

// viewOf is what is known beside a database.
func viewOf(path string, sites map[string]report.Site) history.View {
	v := history.View{Process: db.Holder(path), Platforms: map[string]string{}}
	for label, s := range sites {
		v.Platforms[label] = s.Platform
	}
	return v
}

// past reads what a database says of earlier runs.
func (f *Family) past(path string, sites map[string]report.Site) *board.Past {
	return &board.Past{
		Cover:     func() report.Cover { return f.cover(path) },
		History:   board.Fresh(func(ctx context.Context) (*history.History, error) { return readHistory(ctx, path, sites) }),
		Authority: func(ctx context.Context, label string) (*history.Past, error) { return readPast(ctx, path, label) },
		Run: func(ctx context.Context, id string) (*report.Overview, error) {
			return f.readOverview(ctx, path, id, sites)
		},
		Compare: func(ctx context.Context, q history.Question) (*history.Comparison, error) {
			return compareRuns(ctx, path, sites, q)
		},
	}
}

func readHistory(ctx context.Context, path string, sites map[string]report.Site) (*history.History, error) {
	return reading(ctx, path, func(r *db.Reader) (*history.History, error) { return history.Read(ctx, r, viewOf(path, sites)) })
}

func readPast(ctx context.Context, path, label string) (*history.Past, error) {
	return reading(ctx, path, func(r *db.Reader) (*history.Past, error) { return history.ReadPast(ctx, r, label) })
}

func compareRuns(ctx context.Context, path string, sites map[string]report.Site, q history.Question) (*history.Comparison, error) {
	return reading(ctx, path, func(r *db.Reader) (*history.Comparison, error) {
		return history.Compare(ctx, r, viewOf(path, sites), q)
	})
}
