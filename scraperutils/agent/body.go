package agent

import (
	"fmt"
	"io"
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// acceptEncoding is what decoder can undo.
const acceptEncoding = "gzip, deflate"

// decoded reads a body and undoes its content encodings, up to MaxBody.
func decoded(r *http.Response) ([]byte, error) {
	stream, err := decoder(r.Body, r.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(stream, MaxBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > MaxBody:
		return nil, &TooLargeError{Limit: MaxBody}
	default:
		return body, nil
	}
}

// TooLargeError is a body over the limit.
type TooLargeError struct{ Limit int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the body has more than %d MiB", e.Limit>>20)
}

// Class is ClassOther.
func (e *TooLargeError) Class() scraperutils.Class { return scraperutils.ClassOther }
