package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func (t *Table) key(shard string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"stream": text(t.stream), "shard": text(shard)}
}

// update changes the item of a lease that has still the same owner and fence, and is as a further condition says. It returns the item
// as it is then. Names in expressions begin with #, for some of them are reserved.
func (t *Table) update(ctx context.Context, what string, l stream.Lease, further, expression string, values map[string]types.AttributeValue) (map[string]types.AttributeValue, error) {
	condition := "#owner = :owner AND #fence = :fence"
	if further != "" {
		condition += " AND " + further
	}
	all := map[string]types.AttributeValue{":owner": text(l.Owner), ":fence": number(l.Fence)}
	for name, value := range values {
		all[name] = value
	}
	if strings.Contains(expression, ":one") {
		all[":one"] = number(1)
	}
	names := map[string]string{}
	for _, name := range []string{"owner", "fence", "beat", "next", "checkpoint"} {
		if strings.Contains(condition+" "+expression, "#"+name) {
			names["#"+name] = name
		}
	}
	out, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: t.key(l.Shard), ConditionExpression: &condition, UpdateExpression: &expression,
		ExpressionAttributeNames: names, ExpressionAttributeValues: all, ReturnValues: types.ReturnValueAllNew,
	})
	if err != nil {
		return nil, t.failed(ctx, what, err)
	}
	return out.Attributes, nil
}

// failed says what failed. A condition that does not hold is stream.ErrLost.
func (t *Table) failed(ctx context.Context, what string, err error) error {
	var changed *types.ConditionalCheckFailedException
	switch {
	case err == nil:
		return nil
	case errors.As(err, &changed):
		return stream.ErrLost
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%s leases in table %s: %w", what, t.name, explain(err))
}

// answerError is what a table answers, in its own words.
type answerError struct {
	text string
	err  error
}

// Error is one line, however a server puts it.
func (e *answerError) Error() string {
	return fmt.Sprintf("%.300s", strings.Join(strings.Fields(e.text), " "))
}

func (e *answerError) Unwrap() error { return e.err }

// explain leaves out what the library says of its own steps.
func explain(err error) error {
	var (
		answer smithy.APIError
		web    *url.Error
	)
	switch {
	case errors.As(err, &answer):
		return &answerError{cmp.Or(answer.ErrorCode()+": "+answer.ErrorMessage(), "no answer"), err}
	case errors.As(err, &web):
		return &answerError{"the table can't be reached: " + web.Err.Error(), err}
	}
	return err
}
