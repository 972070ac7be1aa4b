package crawl

import (
	"cmp"
	"encoding/binary"
	"errors"
	"net"
	"slices"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Links holds the links of a page, packed. A frontier keeps them if a crawl limits the depth. When a page turns out to be nearer than it
// was when it was read, its links can then be followed farther without fetching the page again.
//
// Links consist of the depth of the page, the limit, and the links in the order of their URLs, each stored as its difference from the
// previous one.
type Links []byte

// errLinks is that packed links can't be read.
var errLinks = errors.New("the links that are kept of a page are damaged")

// PackLinks packs the links of a page at a depth. If most is not 0, links farther than most are never added. PackLinks keeps everything
// of an entry but Via, Due, Again, ID, and Redirects.
func PackLinks(depth, most int, entries []Entry) Links {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.URL, b.URL) })
	l := binary.AppendVarint(binary.AppendVarint(nil, int64(depth)), int64(most))
	var host, url string
	var numbers linkNumbers
	for _, e := range entries {
		l = appendText(l, host, HostText(e.Host))
		l = appendText(l, url, e.URL)
		l = numbers.append(l, linkNumbers{e.Depth - depth, e.Priority, e.Series, e.Limit, e.Variants, btoi(e.Sitemap)})
		host, url = HostText(e.Host), e.URL
	}
	return l
}

// Depth returns the depth of the page when its links were found.
func (l Links) Depth() int {
	r := linkReader{rest: l}
	return r.number()
}

// At returns the entries for a page that is at a depth: the links within the limit.
func (l Links) At(depth int, via string) (entries []Entry, err error) {
	r := linkReader{rest: l}
	r.number() // the depth that was
	most := r.number()
	var host, url string
	var n linkNumbers
	for !r.damaged && len(r.rest) > 0 {
		host, url = r.text(host), r.text(url)
		n.read(&r)
		name, port, err := net.SplitHostPort(host)
		if r.damaged || err != nil {
			return nil, errLinks
		}
		e := Entry{Host: scraperutils.Host{Name: name, Port: port}, URL: url, Via: via,
			Depth: depth + n[0], Priority: n[1], Series: n[2], Limit: n[3], Variants: n[4], Sitemap: n[5] != 0}
		if most == 0 || e.Depth <= most {
			entries = append(entries, e)
		}
	}
	if r.damaged {
		return nil, errLinks
	}
	return entries, nil
}

// linkNumbers are those of a link: how much farther it is than its page, Priority, Series, Limit, Variants, Sitemap.
type linkNumbers [6]int

// append appends the numbers of the next link, which most often are those of the one before.
func (n *linkNumbers) append(l Links, next linkNumbers) Links {
	if *n == next {
		return append(l, 0)
	}
	*n = next
	l = binary.AppendVarint(l, 1)
	for _, number := range next {
		l = binary.AppendVarint(l, int64(number))
	}
	return l
}

func (n *linkNumbers) read(r *linkReader) {
	if r.number() == 0 {
		return
	}
	for i := range n {
		n[i] = r.number()
	}
}

// appendText appends how much a text shares with the one before, and the rest of it.
func appendText(l Links, before, text string) Links {
	same := 0
	for same < min(len(before), len(text)) && before[same] == text[same] {
		same++
	}
	l = binary.AppendVarint(binary.AppendVarint(l, int64(same)), int64(len(text)-same))
	return append(l, text[same:]...)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// linkReader reads packed links. After damage it returns nothing.
type linkReader struct {
	rest    []byte
	damaged bool
}

func (r *linkReader) number() int {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.rest, r.damaged = nil, true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *linkReader) text(before string) string {
	same, more := r.number(), r.number()
	if r.damaged || same < 0 || same > len(before) || more < 0 || more > len(r.rest) {
		r.rest, r.damaged = nil, true
		return ""
	}
	text := before[:same] + string(r.rest[:more])
	r.rest = r.rest[more:]
	return text
}

// Nearer is a page that was found nearer than it was when it was read, with its stored links.
type Nearer struct {
	HostID, Key int64
	URL         string
	Depth       int // its depth now
	Links       Links
}

// These limit how many pages that were found nearer are followed in one commit.
const (
	NearerPages = 64
	nearerLinks = 2000
)

// FollowNearer returns the links of pages that were found nearer, and of how many pages they are: the first page, and as many more as fit
// into a commit.
func FollowNearer(pages []Nearer) (found []Entry, followed int, err error) {
	for _, p := range pages {
		links, err := p.Links.At(p.Depth, p.URL)
		if err != nil {
			return nil, 0, err
		}
		if found, followed = append(found, links...), followed+1; len(found) >= nearerLinks {
			break
		}
	}
	return found, followed, nil
}
