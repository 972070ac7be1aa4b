package cassette

import "bytes"

// Parse reads a recording from memory, so that a fuzz target needs no file.
var Parse = parse

// Encode writes one to memory.
func Encode(c *Cassette) ([]byte, error) {
	var b bytes.Buffer
	err := c.encode(&b, newScrubber(nil))
	return b.Bytes(), err
}

// MostDecoded is for the test that goes beyond it.
const MostDecoded = mostDecoded

// BlockSize is that of a spool.
const BlockSize = blockSize

// Blocks is how many blocks a spool has come to have.
func (s *Spool) Blocks() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blocks
}
