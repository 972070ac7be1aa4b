package kinesis

import (
	"bytes"
	"crypto/md5"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// magic begins a record that Amazon's producer library has made of several. What follows is a message of Protocol Buffers, and its MD5:
//
//	message AggregatedRecord {
//	  repeated string partition_key_table = 1;
//	  repeated string explicit_hash_key_table = 2;
//	  repeated Record records = 3;
//	}
//	message Record { required uint64 partition_key_index = 1; optional uint64 explicit_hash_key_index = 2; required bytes data = 3; … }
var magic = []byte{0xf3, 0x89, 0x9a, 0xc2}

var errAggregate = errors.New("no aggregated record")

// apart returns the records that were put into one, or the record itself where it is no such thing.
func apart(r stream.Record) []stream.Record {
	body, ok := bytes.CutPrefix(r.Data, magic)
	if !ok || len(body) < md5.Size {
		return []stream.Record{r}
	}
	body, sum := body[:len(body)-md5.Size], body[len(body)-md5.Size:]
	if have := md5.Sum(body); !bytes.Equal(have[:], sum) {
		return []stream.Record{r}
	}
	parts, err := readAggregate(body)
	if err != nil || len(parts) == 0 {
		return []stream.Record{r}
	}
	for i := range parts {
		parts[i].Sequence, parts[i].Arrived, parts[i].Sub, parts[i].Subs = r.Sequence, r.Arrived, i, len(parts)
	}
	return parts
}

func readAggregate(body []byte) (records []stream.Record, err error) {
	var keys []string
	var indexes []uint64
	err = fields(body, func(n protowire.Number, value []byte, _ uint64) error {
		switch n {
		case 1:
			keys = append(keys, string(value))
		case 3:
			index, data, err := readPart(value)
			records, indexes = append(records, stream.Record{Data: data}), append(indexes, index)
			return err
		}
		return nil
	})
	for i, index := range indexes {
		if index >= uint64(len(keys)) {
			return nil, errAggregate
		}
		records[i].Key = keys[index]
	}
	return records, err
}

func readPart(body []byte) (key uint64, data []byte, err error) {
	err = fields(body, func(n protowire.Number, value []byte, number uint64) error {
		switch n {
		case 1:
			key = number
		case 3:
			data = value
		}
		return nil
	})
	return key, data, err
}

// fields calls take for each field of a message, with its bytes or its number.
func fields(body []byte, take func(n protowire.Number, value []byte, number uint64) error) error {
	for len(body) > 0 {
		n, kind, size := protowire.ConsumeTag(body)
		if size < 0 {
			return errAggregate
		}
		body = body[size:]
		var value []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			value, size = protowire.ConsumeBytes(body)
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(body)
		default:
			size = protowire.ConsumeFieldValue(n, kind, body)
		}
		if size < 0 {
			return errAggregate
		}
		if err := take(n, value, number); err != nil {
			return err
		}
		body = body[size:]
	}
	return nil
}
