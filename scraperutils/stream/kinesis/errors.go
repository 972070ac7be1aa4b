package kinesis

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// reasons are those of Kinesis' errors, by their codes. What is not here passes, if the server is at fault, or is refused.
var reasons = map[string]stream.Reason{
	"ProvisionedThroughputExceededException": stream.Throttled,
	"LimitExceededException":                 stream.Throttled,
	"ThrottlingException":                    stream.Throttled,
	"RequestLimitExceeded":                   stream.Throttled,
	"KMSThrottlingException":                 stream.Throttled,
	"ExpiredIteratorException":               stream.Expired,
	"ExpiredNextTokenException":              stream.Expired,
	"InvalidArgumentException":               stream.Rejected,
	"ResourceNotFoundException":              stream.Gone,
	"InternalFailure":                        stream.Trouble,
	"InternalFailureException":               stream.Trouble,
	"ServiceUnavailable":                     stream.Trouble,
	"ResourceInUseException":                 stream.Trouble, // it is being made
}

// explain gives an error its reason, and leaves out what the library says of its own steps.
func explain(err error) error {
	var (
		answer smithy.APIError
		status *smithyhttp.ResponseError
		web    *url.Error
		broken *smithy.DeserializationError
		step   *smithy.OperationError
	)
	if errors.As(err, &answer) {
		code := answer.ErrorCode()
		reason, known := reasons[code]
		if !known && answer.ErrorFault() != smithy.FaultServer && errors.As(err, &status) && status.HTTPStatusCode() >= 400 && status.HTTPStatusCode() < 500 {
			reason, known = stream.Refused, true
		}
		if !known {
			reason = stream.Trouble
		}
		return &stream.SourceError{Reason: reason, Err: &answerError{code, answer.ErrorMessage(), err}}
	}
	if errors.As(err, &web) {
		web.URL = "" // it says nothing that --endpoint does not, and may hold a password
		return &stream.SourceError{Reason: stream.Trouble, Err: &answerError{"", "the stream can't be reached: " + web.Err.Error(), err}}
	}
	if errors.As(err, &broken) {
		return &stream.SourceError{Reason: stream.Trouble, Err: &answerError{"", fmt.Sprintf("the stream's answer can't be read: %v", broken.Err), err}}
	}
	reason := stream.Trouble
	if isSettings(err) {
		reason = stream.Refused
	}
	if errors.As(err, &step) {
		err = step.Err
	}
	return &stream.SourceError{Reason: reason, Err: err}
}

// isSettings reports whether a request could not be made at all: no answer will be another one.
func isSettings(err error) bool {
	var sign *smithy.SerializationError
	text := err.Error()
	return errors.As(err, &sign) || strings.Contains(text, "get identity: get credentials") || strings.Contains(text, "resolve endpoint") ||
		strings.Contains(text, "failed to retrieve credentials")
}

// credentialsError is that nobody says who we are.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string {
	return "no credentials of AWS: expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile in ~/.aws, or a role of the machine"
}

func (e *credentialsError) Unwrap() error { return e.err }

// answerError is what a stream answers, in its own words.
type answerError struct {
	code, message string
	err           error
}

func (e *answerError) Error() string {
	text := e.code + ": " + e.message
	switch {
	case e.message == "":
		text = e.code
	case e.code == "":
		text = e.message
	}
	return fmt.Sprintf("%.300s", strings.Join(strings.Fields(text), " ")) // one line, however a server puts it
}

func (e *answerError) Unwrap() error { return e.err }
