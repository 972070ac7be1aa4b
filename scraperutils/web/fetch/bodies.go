package fetch

import "sync"

// Bodies reuses buffers for bodies, so that a client which reads thousands of pages a second makes no garbage of them. The garbage
// collector frees buffers that nobody needs for a while. The zero value is empty; a nil *Bodies allocates a new buffer each time. Its
// methods may be called from any goroutine.
type Bodies struct {
	rooms [classes]sync.Pool // of *[]byte, by the class of their size
}

// Classes of rooms: their sizes are 4 KiB, 6 KiB, 8 KiB, 12 KiB, and so on to 16 MiB. What is larger is not kept.
const (
	classes      = 25
	smallestRoom = 4 << 10
)

// classOf returns the least class whose rooms hold so many bytes, which may be beyond the last, and their size.
func classOf(bytes int) (class, size int) {
	for size = smallestRoom; size < bytes; size *= 2 {
		if class++; size+size/2 >= bytes {
			return class, size + size/2
		}
		class++
	}
	return class, size
}

// Rooms, in bytes. Most bodies fit into the usual one.
const (
	usualRoom   = 48 << 10
	firstRoom   = 16 << 10 // where each is new
	largestRoom = 1 << 20  // what is larger is read in pieces
)

// room returns an empty slice with room for so many bytes.
func (b *Bodies) room(bytes int) []byte {
	class, size := classOf(bytes)
	if b == nil || class >= classes {
		return make([]byte, 0, bytes)
	}
	if room, ok := b.rooms[class].Get().(*[]byte); ok {
		return *room
	}
	return make([]byte, 0, size)
}

// Free takes the body of a response back. Nobody may read the body afterward.
func (b *Bodies) Free(body []byte) {
	class, size := classOf(cap(body))
	if b == nil || class >= classes || cap(body) != size {
		return
	}
	body = body[:0]
	b.rooms[class].Put(&body)
}

// first returns the size of the room where a body begins whose length is not known: a small one where any number may wait in theirs for
// the rest.
func (b *Bodies) first(bounded bool) int {
	switch {
	case b == nil:
		return firstRoom
	case bounded:
		return usualRoom
	}
	return smallestRoom
}

// join puts the pieces of a body together in a room of a size.
func (b *Bodies) join(size int, pieces ...[]byte) []byte {
	body := b.room(size)
	for _, p := range pieces {
		body = append(body, p...)
		b.Free(p)
	}
	return body
}

// fit moves a body that holds much more room than it needs.
func (b *Bodies) fit(body []byte) []byte {
	if 4*len(body) > cap(body) || cap(body) <= smallestRoom {
		return body
	}
	return b.join(len(body), body)
}
