package cassette

import "io"

// tap is a body that keeps what is read from it, as far as its recorder has room. What it keeps is guarded by the
// recorder's mutex: a transport may still send a request's body while its response is there.
type tap struct {
	io.ReadCloser
	recorder *Recorder
	length   int64            // as announced; -1 is unknown
	ended    func(whole bool) // called outside the mutex, perhaps more than once; or nil

	kept   []byte  // what is not in blocks
	blocks []int64 // of the spool, full ones
	seen   int64   // bytes that went through
	eof    bool
	lost   bool // there was no room
	taken  bool // its exchange has ended: what comes now belongs to nobody
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.recorder.keep(t, p[:n], err == io.EOF)
	if err != nil && t.ended != nil {
		t.ended(err == io.EOF)
	}
	return n, err
}

// Close ends the exchange. A body of which all that was announced has been read is whole without its reader having met
// io.EOF.
func (t *tap) Close() error {
	err := t.ReadCloser.Close()
	if t.ended != nil {
		t.recorder.mu.Lock()
		whole := t.whole()
		t.recorder.mu.Unlock()
		t.ended(whole)
	}
	return err
}

func (r *Recorder) keep(t *tap, b []byte, eof bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.seen += int64(len(b))
	t.eof = t.eof || eof
	spool := r.options.Spool
	switch {
	case t.lost || t.taken:
	case r.closed || r.options.MaxBytes > 0 && t.seen > r.options.MaxBytes-r.options.MaxBytes/startShare:
		r.lose(t)
	case spool == nil:
		t.kept = append(t.kept, b...)
	default:
		for len(b) > 0 {
			if t.kept == nil {
				t.kept = spool.buffer()
			}
			n := copy(t.kept[len(t.kept):cap(t.kept)], b)
			t.kept, b = t.kept[:len(t.kept)+n], b[n:]
			if len(t.kept) == cap(t.kept) && !r.spill(t) {
				r.lose(t)
				return
			}
		}
	}
}

// spill moves what is in memory to the spool. Where that is full, older exchanges make room. The mutex is held.
func (r *Recorder) spill(t *tap) bool {
	block, err := r.options.Spool.write(t.kept)
	for err != nil && r.drop() {
		block, err = r.options.Spool.write(t.kept)
	}
	if err != nil {
		return false
	}
	t.blocks, t.kept = append(t.blocks, block), t.kept[:0]
	return true
}

// lose gives up what a tap, if there is one, has kept. The mutex is held.
func (r *Recorder) lose(t *tap) {
	if t == nil {
		return
	}
	t.lost, r.truncated = true, true
	if spool := r.options.Spool; spool != nil {
		spool.release(t.blocks)
		spool.giveBack(t.kept)
	}
	t.blocks, t.kept = nil, nil
}

// size is how many bytes are kept. The recorder's mutex is held.
func (t *tap) size() int64 {
	if t == nil || t.lost {
		return 0
	}
	return t.seen
}

// whole reports whether all has been read. The recorder's mutex is held.
func (t *tap) whole() bool { return t == nil || t.eof || t.seen == t.length }

// take returns what a tap has kept, which is then the exchange's. The mutex is held.
func (r *Recorder) take(t *tap, whole bool) Body {
	if t == nil {
		return Body{}
	}
	t.taken = true
	spool := r.options.Spool
	if spool != nil && !t.lost && len(t.kept) > 0 && !r.spill(t) {
		r.lose(t)
	}
	var b Body
	switch {
	case t.lost:
		b.Cut = NotKept
	case spool != nil && t.seen > 0:
		b.spooled = &spooled{spool, t.blocks, int(t.seen)}
		spool.giveBack(t.kept)
	default:
		b = NewBody(t.kept)
	}
	if !t.lost && !whole {
		b.Cut = Interrupted
	}
	t.kept, t.blocks = nil, nil
	return b
}
