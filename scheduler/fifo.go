package scheduler

// fifo is a queue in a ring: each step costs the same, however many wait.
type fifo[T any] struct {
	ring  []T
	first int
	n     int
}

func (q *fifo[T]) len() int { return q.n }

func (q *fifo[T]) at(i int) *T { return &q.ring[(q.first+i)%len(q.ring)] }

func (q *fifo[T]) push(v T) {
	q.grow()
	q.n++
	*q.at(q.n - 1) = v
}

// pushFront puts v before all others.
func (q *fifo[T]) pushFront(v T) {
	q.grow()
	q.first = (q.first + len(q.ring) - 1) % len(q.ring)
	q.n++
	*q.at(0) = v
}

func (q *fifo[T]) peek() T { return *q.at(0) }

func (q *fifo[T]) pop() T {
	var none T
	v := *q.at(0)
	*q.at(0) = none
	q.first = (q.first + 1) % len(q.ring)
	q.n--
	return v
}

func (q *fifo[T]) grow() {
	if q.n < len(q.ring) {
		return
	}
	ring := make([]T, max(1, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = *q.at(i)
	}
	q.ring, q.first = ring, 0
}
