package dynamo

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// partSize is how much of a record's data one item holds, and maxError how much of an error.
const (
	partSize = 300 << 10
	maxError = 10 << 10
)

// Bury implements stream.DeadLetters.
func (t *Table) Bury(ctx context.Context, l stream.DeadLetter) error {
	name := fmt.Sprintf("%s#%s#%d", l.Shard, l.Record.Sequence, l.Record.Sub)
	parts := 0
	for data := range slices.Chunk(l.Record.Data, partSize) {
		part := map[string]types.AttributeValue{"data": &types.AttributeValueMemberB{Value: bytes.Clone(data)}}
		if err := t.putLetter(ctx, fmt.Sprintf("%s#%04d", name, parts), part); err != nil {
			return err
		}
		parts++
	}
	return t.putLetter(ctx, name, map[string]types.AttributeValue{
		"of_shard": text(l.Shard), "sequence": text(l.Record.Sequence), "sub": number(int64(l.Record.Sub)), "key": text(l.Record.Key),
		"arrived": text(l.Record.Arrived.UTC().Format(time.RFC3339Nano)), "parts": number(int64(parts)),
		"error": text(l.Error[:min(len(l.Error), maxError)]), "tries": number(int64(l.Tries)), "at": text(l.At.UTC().Format(time.RFC3339Nano)),
	})
}

func (t *Table) putLetter(ctx context.Context, name string, item map[string]types.AttributeValue) error {
	item["stream"], item["shard"] = text(t.stream+"#dead"), text(name)
	_, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: item})
	return t.failed(ctx, "bury a record in", err)
}
