package cassette

import "io"

// tap is a body that keeps what is read from it, as far as its recorder has room. What it keeps is guarded by the
// recorder's mutex: a transport may still send a request's body while its response is there.
type tap struct {
	io.ReadCloser
	recorder *Recorder
	length   int64            // as announced; -1 is unknown
	ended    func(whole bool) // called outside the mutex, perhaps more than once; or nil

	kept []byte
	seen int64 // bytes that went through
	eof  bool
	lost bool // there was no room
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
	if t.lost {
		return
	}
	if r.options.MaxBytes > 0 && r.bodyBytes+int64(len(b)) > r.options.MaxBytes {
		r.bodyBytes -= int64(len(t.kept))
		t.kept, t.lost, r.truncated = nil, true, true
		return
	}
	r.bodyBytes += int64(len(b))
	t.kept = append(t.kept, b...)
}

// whole tells whether all has been read. The recorder's mutex is held.
func (t *tap) whole() bool { return t == nil || t.eof || t.seen == t.length }

// body returns what was kept. The recorder's mutex is held.
func (t *tap) body(whole bool) Body {
	if t == nil {
		return Body{}
	}
	b := NewBody(t.kept)
	switch {
	case t.lost:
		b.Cut = NotKept
	case !whole:
		b.Cut = Interrupted
	}
	t.kept = nil
	return b
}
