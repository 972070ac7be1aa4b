package agent

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

// decoded reads a body and undoes its content encodings: as much as is enough, or where that is 0 all, up to MaxBody.
func decoded(r *http.Response, enough int) ([]byte, error) {
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
	return readAll(stream, size, MaxBody)
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
			return nil, &TooLargeError{What: "the body", Limit: limit >> 20, Unit: "MiB"}
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

// TooLargeError is an answer with more of something than is read, or a request with more than is sent.
type TooLargeError struct {
	What  string // such as "the body"
	Limit int
	Unit  string // such as "MiB"
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has more than %d %s", e.What, e.Limit, e.Unit)
}

// Class is ClassOther: nothing is said about the layout, and no scraper that is mended would read it.
func (e *TooLargeError) Class() scraperutils.Class { return scraperutils.ClassOther }
