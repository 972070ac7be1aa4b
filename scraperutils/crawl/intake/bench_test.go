package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/intake"
)

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct{ name, head, line string }{
		{"list", "", "https://www.example.org/news/2024/05/story-%d.html?id=5&page=2\n"},
		{"csv", "id,url,title\n", "5,https://www.example.org/news/2024/05/story-%d.html,\"A story, with a title\"\n"},
		{"json-lines", "", `{"id":5,"url":"https://www.example.org/news/2024/05/story-%d.html","title":"A story"}` + "\n"},
		{"json-array", "[5", `,{"id":5,"url":"https://www.example.org/news/2024/05/story-%d.html","title":"A story"}` + "\n"},
		{"sitemap", "<urlset>\n", "<url><loc>https://www.example.org/news/2024/05/story-%d.html</loc><lastmod>2024-05-01</lastmod></url>\n"},
	} {
		var text strings.Builder
		text.WriteString(c.head)
		for i := range 10_000 {
			fmt.Fprintf(&text, c.line, i)
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for e := range intake.Read(strings.NewReader(text.String()), intake.Options{}) {
					if e.Line > 0 {
						n++
					}
				}
				if n != 10_000 {
					b.Fatal(n)
				}
			}
		})
	}
}
