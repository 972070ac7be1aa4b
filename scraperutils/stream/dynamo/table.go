package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/logging"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// Options say how to reach a table. The AWS library finds what is left zero: in the environment (including AWS_ENDPOINT_URL_DYNAMODB), in
// ~/.aws, or from the machine.
type Options struct {
	Table  string
	Stream string
	Region string
	Create bool // create a missing table, with billing per request
}

// Table keeps the leases of a stream in a DynamoDB table. Its methods may be called from any goroutine.
type Table struct {
	name, stream string
	client       *dynamodb.Client
}

var (
	_ stream.Leases      = (*Table)(nil)
	_ stream.DeadLetters = (*Table)(nil)
)

// createTime is how long a new table may take.
const createTime = 2 * time.Minute

// Open finds the table. The context limits the wait for it.
func Open(ctx context.Context, o Options) (*Table, error) {
	options := []func(*config.LoadOptions) error{config.WithLogger(logging.Nop{})} // what fails is in the error
	if o.Region != "" {
		options = append(options, config.WithRegion(o.Region))
	}
	settings, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("read the settings of AWS: %w", err)
	}
	t := &Table{name: o.Table, stream: o.Stream, client: dynamodb.NewFromConfig(settings)}
	out, err := t.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.name})
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &missing) && o.Create:
		return t, t.create(ctx)
	case errors.As(err, &missing):
		return nil, fmt.Errorf("there is no table %s: --create makes one", t.name)
	case err != nil:
		return nil, fmt.Errorf("find table %s: %w", t.name, explain(err))
	}
	return t, t.check(out.Table)
}

// keys are those of a table.
var keys = []types.KeySchemaElement{{AttributeName: aws.String("stream"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("shard"), KeyType: types.KeyTypeRange}}

func (t *Table) check(d *types.TableDescription) error {
	wrong := len(d.KeySchema) != len(keys)
	for i, k := range d.KeySchema {
		wrong = wrong || aws.ToString(k.AttributeName) != *keys[i].AttributeName
	}
	if wrong {
		return fmt.Errorf("table %s: expected the keys stream and shard, found another program's", t.name)
	}
	return nil
}

func (t *Table) create(ctx context.Context) error {
	in := &dynamodb.CreateTableInput{TableName: &t.name, KeySchema: keys, BillingMode: types.BillingModePayPerRequest}
	for _, k := range keys {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: k.AttributeName, AttributeType: types.ScalarAttributeTypeS})
	}
	var there *types.ResourceInUseException
	if _, err := t.client.CreateTable(ctx, in); err != nil && !errors.As(err, &there) {
		return fmt.Errorf("create table %s: %w", t.name, explain(err))
	}
	waiter := dynamodb.NewTableExistsWaiter(t.client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay, o.MaxDelay = time.Second, 5*time.Second })
	if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &t.name}, createTime); err != nil {
		return fmt.Errorf("wait for table %s: %w", t.name, explain(err))
	}
	return nil
}

// Close implements io.Closer. It does nothing.
func (t *Table) Close() error { return nil }

// List implements stream.Leases.
func (t *Table) List(ctx context.Context) (all []stream.Lease, err error) {
	pages := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("#stream = :stream"), ExpressionAttributeNames: map[string]string{"#stream": "stream"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":stream": text(t.stream)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, t.failed(ctx, "list", err)
		}
		for _, item := range page.Items {
			l, err := leaseOf(item)
			if err != nil {
				return nil, t.failed(ctx, "list", err)
			}
			all = append(all, l)
		}
	}
	return all, nil
}

// leaseOf reads an item.
func leaseOf(item map[string]types.AttributeValue) (l stream.Lease, err error) {
	for name, field := range map[string]*string{"shard": &l.Shard, "owner": &l.Owner, "next": &l.Next, "checkpoint": &l.Checkpoint} {
		if v, ok := item[name].(*types.AttributeValueMemberS); ok {
			*field = v.Value
		}
	}
	for name, field := range map[string]*int64{"beat": &l.Beat, "fence": &l.Fence} {
		v, ok := item[name].(*types.AttributeValueMemberN)
		if !ok {
			return l, fmt.Errorf("the item of %s has no %s", l.Shard, name)
		}
		if *field, err = strconv.ParseInt(v.Value, 10, 64); err != nil {
			return l, fmt.Errorf("the item of %s: %s: %w", l.Shard, name, err)
		}
	}
	return l, nil
}

// Add implements stream.Leases.
func (t *Table) Add(ctx context.Context, leases []stream.Lease) error {
	for _, l := range leases {
		_, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &t.name, ConditionExpression: aws.String("attribute_not_exists(#shard)"), ExpressionAttributeNames: map[string]string{"#shard": "shard"},
			Item: map[string]types.AttributeValue{
				"stream": text(t.stream), "shard": text(l.Shard), "owner": text(""), "next": text(""), "beat": number(0), "fence": number(0), "checkpoint": text(l.Checkpoint),
			},
		})
		if err = t.failed(ctx, "add", err); err != nil && !errors.Is(err, stream.ErrLost) { // else it is there
			return err
		}
	}
	return nil
}

// Take implements stream.Leases.
func (t *Table) Take(ctx context.Context, seen stream.Lease, owner string) (stream.Lease, error) {
	item, err := t.update(ctx, "take", seen, "#beat = :beat", "SET #owner = :to, #next = :none ADD #beat :one, #fence :one",
		map[string]types.AttributeValue{":beat": number(seen.Beat), ":to": text(owner), ":none": text("")})
	if err != nil {
		return stream.Lease{}, err
	}
	return leaseOf(item)
}

// Renew implements stream.Leases.
func (t *Table) Renew(ctx context.Context, held []stream.Lease) (lost []string, err error) {
	for _, l := range held {
		_, err := t.update(ctx, "renew", l, "", "ADD #beat :one", nil)
		switch {
		case errors.Is(err, stream.ErrLost):
			lost = append(lost, l.Shard)
		case err != nil:
			return nil, err
		}
	}
	return lost, nil
}

// Ask implements stream.Leases.
func (t *Table) Ask(ctx context.Context, seen stream.Lease, name string) error {
	_, err := t.update(ctx, "ask for", seen, "#owner <> :none AND #next = :none", "SET #next = :name", map[string]types.AttributeValue{":none": text(""), ":name": text(name)})
	return err
}

// Save implements stream.Leases.
func (t *Table) Save(ctx context.Context, held stream.Lease, checkpoint string) error {
	_, err := t.update(ctx, "save", held, "", "SET #checkpoint = :checkpoint ADD #beat :one", map[string]types.AttributeValue{":checkpoint": text(checkpoint)})
	return err
}

// Release implements stream.Leases.
func (t *Table) Release(ctx context.Context, held stream.Lease) error {
	_, err := t.update(ctx, "release", held, "", "SET #owner = :none ADD #beat :one", map[string]types.AttributeValue{":none": text("")})
	return err
}

// Remove implements stream.Leases.
func (t *Table) Remove(ctx context.Context, shard string) error {
	_, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &t.name, Key: t.key(shard), ConditionExpression: aws.String("#checkpoint = :end"), ExpressionAttributeNames: map[string]string{"#checkpoint": "checkpoint"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":end": text(stream.End)},
	})
	if err = t.failed(ctx, "remove", err); errors.Is(err, stream.ErrLost) {
		return nil
	}
	return err
}
