package durable

import (
	"context"
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// Direct writes the groups of a new file past the system's cache, if the file system supports that. Gigabytes that nobody reads soon then
// cost a fraction, and leave the cache to others.
func (f *File) Direct() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size > 0 {
		return errors.New("write past the cache: the file is not empty")
	}
	if bypass(f.file, true) == nil {
		f.blocks = newBlocks()
	}
	return nil
}

// Sizes of direct writes, in bytes. All begin and end at a block, in the file and in memory.
const (
	blockSize  = 4 << 10
	blocksSize = 2 << 20 // that are written together
)

// blocks is what a file that is written directly has in memory.
type blocks struct {
	buffer []byte
	last   []byte // of what is durable: its last block, which is not full
}

func newBlocks() *blocks {
	room := make([]byte, blocksSize+blockSize)
	shift := blockSize - int(uintptr(unsafe.Pointer(unsafe.SliceData(room)))%blockSize)
	return &blocks{buffer: room[shift : shift+blocksSize], last: make([]byte, 0, blockSize)}
}

// directEnd writes whole blocks behind what a file has.
type directEnd struct {
	*blocks
	ctx  context.Context
	file *os.File
	at   int64 // of the buffer in the file
	n    int   // bytes in the buffer
}

// newDirectEnd begins with the block that is not full, which is written again.
func newDirectEnd(ctx context.Context, f *File) *directEnd {
	e := &directEnd{blocks: f.blocks, ctx: ctx, file: f.file, at: f.size - int64(len(f.blocks.last))}
	e.n = copy(e.buffer, e.last)
	return e
}

func (e *directEnd) Write(b []byte) (n int, err error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	for len(b) > 0 {
		part := copy(e.buffer[e.n:], b)
		b, n, e.n = b[part:], n+part, e.n+part
		if e.n < len(e.buffer) {
			break
		}
		if err := e.put(e.buffer); err != nil {
			return n, err
		}
		e.at, e.n = e.at+int64(e.n), 0
	}
	return n, nil
}

// put writes blocks: through the cache where they can't be written past it.
func (e *directEnd) put(whole []byte) error {
	_, err := e.file.WriteAt(whole, e.at)
	if errors.Is(err, syscall.EINVAL) {
		if err := bypass(e.file, false); err != nil {
			return err
		}
		_, err = e.file.WriteAt(whole, e.at)
	}
	return err
}

// finish writes what is left, filled up with zeros, and returns where what was written ends.
func (e *directEnd) finish() (size int64, err error) {
	whole := (e.n + blockSize - 1) / blockSize * blockSize
	clear(e.buffer[e.n:whole])
	return e.at + int64(e.n), e.put(e.buffer[:whole])
}

// keep takes in that what was written is durable.
func (e *directEnd) keep() {
	e.last = append(e.last[:0], e.buffer[e.n/blockSize*blockSize:e.n]...)
}
