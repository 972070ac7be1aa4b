package dynamo_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
	"github.com/multiscraper/multiscraper/scraperutils/stream/dynamo"
	"github.com/multiscraper/multiscraper/scraperutils/stream/leasestest"
	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
)

var servers = streamtest.Servers{Names: []string{streamtest.Dynalite}}

func TestMain(m *testing.M) { os.Exit(servers.Run(m)) }

func TestContract(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", servers.Endpoint(t, streamtest.Dynalite))
	_, err := dynamo.Open(t.Context(), dynamo.Options{Table: "leases", Stream: "s"})
	require.ErrorContains(t, err, "there is no table leases: --create makes one")
	leasestest.Run(t, func(t testing.TB, name string) leasestest.Keeper {
		table, err := dynamo.Open(t.Context(), dynamo.Options{Table: "leases", Stream: name, Create: true})
		require.NoError(t, err)
		return table
	}, letters)
}

// letters reads what is buried as any program would.
func letters(t testing.TB, name string) (all []stream.DeadLetter) {
	settings, err := config.LoadDefaultConfig(t.Context())
	require.NoError(t, err)
	table, key := "leases", "#s = :s"
	in := &dynamodb.QueryInput{TableName: &table, KeyConditionExpression: &key, ExpressionAttributeNames: map[string]string{"#s": "stream"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":s": &types.AttributeValueMemberS{Value: name + "#dead"}}}
	items := map[string]map[string]types.AttributeValue{}
	for pages := dynamodb.NewQueryPaginator(dynamodb.NewFromConfig(settings), in); pages.HasMorePages(); {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, item := range page.Items {
			items[word(item["shard"])] = item
		}
	}
	for id, item := range items {
		if item["parts"] == nil {
			continue
		}
		l := stream.DeadLetter{Shard: word(item["of_shard"]), Error: word(item["error"]), Tries: count(t, item["tries"])}
		l.Record = stream.Record{Sequence: word(item["sequence"]), Sub: count(t, item["sub"]), Key: word(item["key"]), Data: []byte{}}
		for n := range count(t, item["parts"]) {
			part := items[id+"#"+strings.Repeat("0", 3)+strconv.Itoa(n)]
			l.Record.Data = append(l.Record.Data, part["data"].(*types.AttributeValueMemberB).Value...)
		}
		l.Record.Arrived, err = time.Parse(time.RFC3339Nano, word(item["arrived"]))
		require.NoError(t, err)
		l.At, err = time.Parse(time.RFC3339Nano, word(item["at"]))
		require.NoError(t, err)
		all = append(all, l)
	}
	return all
}

func word(v types.AttributeValue) string { return v.(*types.AttributeValueMemberS).Value }

func count(t testing.TB, v types.AttributeValue) int {
	n, err := strconv.Atoi(v.(*types.AttributeValueMemberN).Value)
	require.NoError(t, err)
	return n
}

// A table of another program is refused.
func TestForeignTable(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", servers.Endpoint(t, streamtest.Dynalite))
	settings, err := config.LoadDefaultConfig(t.Context())
	require.NoError(t, err)
	name, id := "others", "id"
	_, err = dynamodb.NewFromConfig(settings).CreateTable(t.Context(), &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: &id, KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: &id, AttributeType: types.ScalarAttributeTypeS}}})
	require.NoError(t, err)
	_, err = dynamo.Open(t.Context(), dynamo.Options{Table: name, Stream: "s"})
	require.ErrorContains(t, err, "found another program's")
	assert.NotContains(t, err.Error(), "operation error")
}
