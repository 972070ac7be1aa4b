package kinesis

import (
	"crypto/md5"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// aggregate makes one record of several, as a producer's library does.
func aggregate(keys []string, parts ...[2]string) []byte {
	var body []byte
	index := map[string]uint64{}
	for i, k := range keys {
		body = protowire.AppendString(protowire.AppendTag(body, 1, protowire.BytesType), k)
		index[k] = uint64(i)
	}
	for _, p := range parts {
		part := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), index[p[0]])
		part = protowire.AppendString(protowire.AppendTag(part, 3, protowire.BytesType), p[1])
		body = protowire.AppendBytes(protowire.AppendTag(body, 3, protowire.BytesType), part)
	}
	sum := md5.Sum(body)
	return append(append(append([]byte{}, magic...), body...), sum[:]...)
}

// Records that were put into one come apart; what only looks like that stays as it is.
func TestApart(t *testing.T) {
	whole := stream.Record{Sequence: "7", Key: "outer", Data: aggregate([]string{"a", "b"}, [2]string{"b", "one"}, [2]string{"a", "two"}, [2]string{"b", ""})}
	parts := apart(whole)
	assert.Equal(t, []stream.Record{
		{Sequence: "7", Key: "b", Data: []byte("one"), Sub: 0, Subs: 3},
		{Sequence: "7", Key: "a", Data: []byte("two"), Sub: 1, Subs: 3},
		{Sequence: "7", Key: "b", Data: []byte{}, Sub: 2, Subs: 3},
	}, parts)
	broken := append([]byte{}, whole.Data...)
	broken[6] ^= 1
	for name, data := range map[string][]byte{
		"plain": []byte("plain"), "empty": {}, "magic alone": magic, "a wrong sum": broken, "cut": whole.Data[:len(whole.Data)-3],
		"nothing in it": aggregate([]string{"a"}), "a key that is not there": aggregate(nil, [2]string{"x", "data"}),
	} {
		r := stream.Record{Sequence: "8", Data: data}
		assert.Equal(t, []stream.Record{r}, apart(r), name)
	}
}

func FuzzApart(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add(aggregate([]string{"a"}, [2]string{"a", "one"})[4:])
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := md5.Sum(body)
		r := stream.Record{Sequence: "1", Data: append(append(append([]byte{}, magic...), body...), sum[:]...)}
		assert.NotEmpty(t, apart(r))
		_ = apart(stream.Record{Data: body})
	})
}
