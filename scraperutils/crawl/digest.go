package crawl

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/cespare/xxhash/v2"
)

// fingerprintSize is the length of a fingerprint.
const fingerprintSize = 16

// fingerprint is a digest that shows whether a page is as it was, and costs a tenth of SHA-256: 16 hexadecimal digits. Nobody has a reason
// to make two of his own pages look the same.
func fingerprint(body []byte) string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, xxhash.Sum64(body)))
}

// sum is what archives keep of a page: SHA-256, 64 hexadecimal digits.
func sum(body []byte) string {
	s := sha256.Sum256(body)
	return hex.EncodeToString(s[:])
}

// matches reports whether a body has a digest, of either kind. None has "".
func matches(digest string, body []byte) bool {
	switch len(digest) {
	case 0:
		return false
	case fingerprintSize:
		return digest == fingerprint(body)
	}
	return digest == sum(body)
}

// digest is what the worker keeps of a page: sinks want the sum.
func (w *Worker) digest(body []byte) string {
	if len(w.Sinks) == 0 {
		return fingerprint(body)
	}
	return sum(body)
}
