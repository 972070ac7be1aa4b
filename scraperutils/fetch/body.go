package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// acceptEncoding is what decoder can undo.
const acceptEncoding = "gzip, deflate"

// body reads the body of an answer, if it is wanted, and undoes its content encodings: as much as is enough, or all of it up to the
// client's limit.
func (c *Client) body(r *http.Response, x *exchange) ([]byte, error) {
	if x.accept != nil && r.StatusCode/100 == 2 && !x.accept(r.Header) {
		return nil, &UnwantedError{Type: shortened(r.Header.Get("Content-Type"))}
	}
	body, err := decoded(r, x.enough, c.config.MaxBody)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return body, nil
}

func decoded(r *http.Response, enough, limit int) ([]byte, error) {
	stream, err := decoder(r.Body, r.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	size := firstPiece
	if r.ContentLength >= 0 && stream == r.Body {
		size = int(min(r.ContentLength+1, largestPiece)) // and one for the end
	}
	if enough > 0 {
		stream = io.LimitReader(stream, int64(enough))
	}
	return readAll(stream, size, limit)
}

// readAll reads up to limit bytes. It gathers them in pieces, the first of a size that is hoped to be enough, so that a body that
// is too large costs no more than the limit.
func readAll(r io.Reader, size, limit int) ([]byte, error) {
	var full [][]byte
	total := 0
	for piece := make([]byte, 0, max(size, 512)); ; {
		n, err := r.Read(piece[len(piece):cap(piece)])
		piece = piece[:len(piece)+n]
		total += n
		switch {
		case total > limit:
			return nil, tooLarge(limit)
		case errors.Is(err, io.EOF) && len(full) == 0:
			return piece, nil
		case errors.Is(err, io.EOF):
			return bytes.Join(append(full, piece), nil), nil
		case err != nil:
			return nil, err
		case len(piece) == cap(piece):
			full = append(full, piece)
			piece = make([]byte, 0, min(max(2*cap(piece), firstPiece), largestPiece))
		}
	}
}

// Pieces of a body, in bytes: most pages fit into the first two.
const (
	firstPiece   = 16 << 10
	largestPiece = 1 << 20
)

func tooLarge(limit int) error {
	if limit%(1<<20) != 0 {
		return &scraperutils.TooLargeError{What: "the body", Limit: limit, Unit: "bytes"}
	}
	return &scraperutils.TooLargeError{What: "the body", Limit: limit >> 20, Unit: "MiB"}
}
