package fetch

import (
	"cmp"
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
	if c.config.Room != nil {
		c.config.Room(r.Request.Context())
	}
	body, err := c.config.Bodies.decoded(r, c.config.Bodies.first(c.config.Room != nil), x.enough, cmp.Or(x.request.MaxBody, c.config.MaxBody))
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return body, nil
}

// decoded reads a body into a room of a size, unless its length is known.
func (b *Bodies) decoded(r *http.Response, size, enough, limit int) ([]byte, error) {
	stream, err := decoder(r.Body, r.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	if r.ContentLength >= 0 && stream == r.Body {
		size = int(min(r.ContentLength+1, largestRoom)) // and one for the end
	}
	if enough > 0 {
		stream = io.LimitReader(stream, int64(enough))
	}
	return b.readAll(stream, max(size, 512), limit)
}

// readAll reads up to limit bytes, into a room of a size that is hoped to be enough. It moves to a larger one when that is full, and
// from a size on gathers pieces, so that a body that is too large costs no more than the limit.
func (b *Bodies) readAll(r io.Reader, size, limit int) ([]byte, error) {
	var full [][]byte
	total := 0
	for piece := b.room(size); ; {
		n, err := r.Read(piece[len(piece):cap(piece)])
		piece = piece[:len(piece)+n]
		total += n
		switch {
		case total > limit:
			return nil, tooLarge(limit)
		case errors.Is(err, io.EOF) && len(full) == 0:
			return b.fit(piece), nil
		case errors.Is(err, io.EOF):
			return b.join(total, append(full, piece)...), nil
		case err != nil:
			return nil, err
		case len(piece) < cap(piece):
		case cap(piece) < largestRoom:
			piece = b.join(max(2*cap(piece), usualRoom), piece)
		default:
			full = append(full, piece)
			piece = b.room(largestRoom)
		}
	}
}

func tooLarge(limit int) error {
	if limit%(1<<20) != 0 {
		return &scraperutils.TooLargeError{What: "the body", Limit: limit, Unit: "bytes"}
	}
	return &scraperutils.TooLargeError{What: "the body", Limit: limit >> 20, Unit: "MiB"}
}
