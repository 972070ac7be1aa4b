package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
)

// Decode undoes the content encodings of a body that was kept as it was sent, up to a number of bytes.
func Decode(body []byte, contentEncoding []string, limit int64) ([]byte, error) {
	stream, err := decoder(bytes.NewReader(body), contentEncoding)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(stream, limit))
}

// decoder undoes content encodings, the last one first. One that was announced but not applied is passed over: there are
// servers that say gzip twice and do it once.
func decoder(stream io.Reader, contentEncoding []string) (io.Reader, error) {
	if len(contentEncoding) == 0 {
		return stream, nil
	}
	names := strings.Split(strings.Join(contentEncoding, ","), ",")
	for i := len(names) - 1; i >= 0; i-- {
		name := strings.ToLower(strings.TrimSpace(names[i]))
		if name == "" || name == "identity" {
			continue
		}
		var err error
		buffered := bufio.NewReader(stream)
		stream = buffered
		head, _ := buffered.Peek(2)
		switch name {
		case "gzip", "x-gzip":
			if len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
				stream, err = gzip.NewReader(buffered)
			}
		case "deflate": // zlib, or what some servers take it for
			if len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
				stream, err = zlib.NewReader(buffered)
			} else if len(head) > 0 {
				stream = flate.NewReader(buffered)
			}
		default:
			err = fmt.Errorf("content encoding %q: expected gzip or deflate", name)
		}
		if err != nil {
			return nil, err
		}
	}
	return stream, nil
}
