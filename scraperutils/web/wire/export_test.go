package wire

// Hosts returns of how many hosts the transport remembers connections.
func (t *Transport) Hosts() int {
	t.pool.mu.Lock()
	defer t.pool.mu.Unlock()
	return len(t.pool.shelves)
}
