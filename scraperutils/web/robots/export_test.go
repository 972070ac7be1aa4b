package robots

// Len returns how many hosts are kept.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hosts) != c.used.Len() {
		panic("the map and the list of hosts differ")
	}
	return len(c.hosts)
}
