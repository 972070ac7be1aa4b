package urls_test

import (
	"net/url"
	"testing"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// BenchmarkParse stands beside net/url's Parse, which makes no canonical form.
func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, raw string }{
		{"canonical", "https://www.example.org/news/2024/05/a-story-about-things.html?id=5&page=2"},
		{"canonical-front", "https://www.example.org/"},
		{"escapes-dots-query", "HTTP://www.Example.org:80/news/./2024/../%7estory?page=2&id=5&sid=af31#top"},
		{"address", "http://127.0.0.1:8080/p/1?a=1&b=2"},
		{"idn", "https://bücher.example/a"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (urls.Form{}).Parse(c.raw); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/net-url", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := url.Parse(c.raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkResolve(b *testing.B) {
	base, err := urls.Form{}.Parse("https://www.example.org/news/2024/index.html?page=2")
	if err != nil {
		b.Fatal(err)
	}
	for _, link := range []string{"/news/5?id=5", "../2023/story.html", "https://www.example.org/a", "?page=3"} {
		b.Run(link, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (urls.Form{}).Resolve(base, link); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
