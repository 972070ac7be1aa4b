package browsecmd_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSoakGraph draws the samples of a soak anew, those of the folder BROWSE_SOAK_GRAPH.
func TestSoakGraph(t *testing.T) {
	folder := os.Getenv("BROWSE_SOAK_GRAPH")
	if folder == "" {
		folder = t.TempDir()
		rows := "seconds,worker_mib,browser_mib,processes,fault\n0,18,250,12,\n10,20,260,12,the <worker> killed\n20,22,240,11,\n"
		require.NoError(t, os.WriteFile(filepath.Join(folder, "soak.csv"), []byte(rows), 0o600))
	}
	require.NoError(t, drawSoak(folder))
	picture, err := os.ReadFile(filepath.Join(folder, "soak.svg"))
	require.NoError(t, err)
	require.Contains(t, string(picture), "</svg>")
	require.NotContains(t, string(picture), "<worker>")
}

// plot is a graph of one or more lines above each other, with faults as dashes.
type plot struct {
	top, height float64
	title       string
	lines       []plotted
}

type plotted struct {
	name, color string
	values      []float64
}

const plotLeft, plotWidth = 60.0, 800.0

// drawSoak makes soak.svg of the soak.csv in a folder.
func drawSoak(folder string) error {
	f, err := os.Open(filepath.Join(folder, "soak.csv"))
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 3 {
		return fmt.Errorf("too few samples in %s: %w", f.Name(), err)
	}
	columns := make([][]float64, 4)
	faults := map[int]string{}
	for i, row := range rows[1:] {
		for c := range columns {
			n, err := strconv.ParseFloat(row[c], 64)
			if err != nil {
				return err
			}
			columns[c] = append(columns[c], n)
		}
		if row[4] != "" {
			faults[i] = row[4]
		}
	}
	seconds := columns[0]
	last := seconds[len(seconds)-1]
	x := func(i int) float64 { return plotLeft + plotWidth*seconds[i]/last }
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 470" font-family="sans-serif" font-size="12"><rect width="900" height="470" fill="white"/>` + "\n")
	for _, p := range []plot{
		{30, 130, "memory of the worker, MiB", []plotted{{"worker", "#1a6", columns[1]}}},
		{190, 130, "memory of its browser, all processes, MiB", []plotted{{"browser", "#15c", columns[2]}}},
		{350, 80, "processes", []plotted{{"processes", "#a42", columns[3]}}},
	} {
		p.draw(&b, x, faults)
	}
	for minute := 0.0; minute*60 <= last; minute += max(1, float64(int(last/60/10))) {
		fmt.Fprintf(&b, `<text x="%.1f" y="448" text-anchor="middle">%.0f</text>`+"\n", plotLeft+plotWidth*minute*60/last, minute)
	}
	b.WriteString(`<text x="460" y="464" text-anchor="middle">minutes; dashes are faults</text></svg>` + "\n")
	return os.WriteFile(filepath.Join(folder, "soak.svg"), []byte(b.String()), 0o600)
}

func (p plot) draw(b *strings.Builder, x func(int) float64, faults map[int]string) {
	most := 1.0
	for _, l := range p.lines {
		for _, v := range l.values {
			most = max(most, v)
		}
	}
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f">%s</text>`+"\n", plotLeft, p.top-8, p.title)
	fmt.Fprintf(b, `<rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" fill="none" stroke="#ccc"/>`+"\n", plotLeft, p.top, plotWidth, p.height)
	for _, v := range []float64{0, most} {
		fmt.Fprintf(b, `<text x="%.0f" y="%.1f" text-anchor="end">%.0f</text>`+"\n", plotLeft-6, p.top+p.height*(1-v/most)+4, v)
	}
	for i, name := range faults {
		fmt.Fprintf(b, `<line x1="%.1[1]f" x2="%.1[1]f" y1="%.0[2]f" y2="%.0[3]f" stroke="#c33" stroke-dasharray="2 3"><title>%[4]s</title></line>`+"\n",
			x(i), p.top, p.top+p.height, html.EscapeString(name))
	}
	for _, l := range p.lines {
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" points="`, l.color)
		for i, v := range l.values {
			fmt.Fprintf(b, "%.1f,%.1f ", x(i), p.top+p.height*(1-v/most))
		}
		b.WriteString("\"/>\n")
	}
}
