package cassette

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// blockSize is how much is written to a spool at once: most pages are a few blocks.
const blockSize = 16 << 10

// errSpoolFull says that a spool has reached its limit.
var errSpoolFull = errors.New("the spool is full")

// Spool is a file without a name that holds the bodies of many recorders, so that memory holds none. Room that is given up is
// used again. It is safe for concurrent use.
type Spool struct {
	dir   string
	limit int64 // blocks; 0 is none

	buffers sync.Pool // of *[blockSize]byte

	mu     sync.Mutex // guards what follows
	file   *os.File   // made with the first block
	err    error      // why there is no file, for good
	blocks int64      // in the file
	free   []int64    // those of them that hold nothing
}

// NewSpool returns a spool that makes its file in dir when it is first needed, and holds at most limit bytes; 0 is no limit.
func NewSpool(dir string, limit int64) *Spool {
	return &Spool{dir: dir, limit: limit / blockSize, buffers: sync.Pool{New: func() any { return new([blockSize]byte) }}}
}

// Close gives the file up. What recorders keep in it is lost, and they keep nothing more.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.file
	s.file, s.err = nil, os.ErrClosed
	if f == nil {
		return nil
	}
	return f.Close()
}

// buffer returns an empty buffer of a block.
func (s *Spool) buffer() []byte { return s.buffers.Get().(*[blockSize]byte)[:0] }

// giveBack takes a buffer back.
func (s *Spool) giveBack(b []byte) {
	if cap(b) == blockSize {
		s.buffers.Put((*[blockSize]byte)(b[:blockSize]))
	}
}

// write puts a block's worth of bytes, or less, into a block of its own.
func (s *Spool) write(b []byte) (block int64, err error) {
	f, block, err := s.reserve()
	if err != nil {
		return 0, err
	}
	if _, err := f.WriteAt(b, block*blockSize); err != nil {
		s.release([]int64{block})
		return 0, fmt.Errorf("write to the spool: %w", err)
	}
	return block, nil
}

func (s *Spool) reserve() (f *os.File, block int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil && s.err == nil {
		s.file, s.err = unnamed(s.dir)
	}
	if s.err != nil {
		return nil, 0, s.err
	}
	if n := len(s.free); n > 0 {
		block, s.free = s.free[n-1], s.free[:n-1]
		return s.file, block, nil
	}
	if s.limit > 0 && s.blocks >= s.limit {
		return nil, 0, errSpoolFull
	}
	s.blocks++
	return s.file, s.blocks - 1, nil
}

// unnamed makes a file that goes when it is closed, or the process ends.
func unnamed(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, ".recording.*")
	if err != nil {
		return nil, fmt.Errorf("make the spool: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("make the spool: %w", err), f.Close())
	}
	return f, nil
}

// release gives blocks up.
func (s *Spool) release(blocks []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, blocks...)
}

// spooled is where a body is in a spool.
type spooled struct {
	spool  *Spool
	blocks []int64
	size   int
}

// bytes reads the body back.
func (p *spooled) bytes() ([]byte, error) {
	p.spool.mu.Lock()
	f, err := p.spool.file, p.spool.err
	p.spool.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	b := make([]byte, p.size)
	for i, block := range p.blocks {
		if _, err := f.ReadAt(b[i*blockSize:min((i+1)*blockSize, p.size)], block*blockSize); err != nil {
			return nil, fmt.Errorf("read the spool: %w", err)
		}
	}
	return b, nil
}

func (p *spooled) release() {
	if p != nil {
		p.spool.release(p.blocks)
	}
}
