package stream

import "context"

// Lease says how far a shard is done, and who may continue it.
type Lease struct {
	Shard      string
	Owner      string // "": nobody
	Next       string // who asked for it, and gets it when it is released; "": nobody
	Beat       int64  // grows with each sign of life of its owner
	Fence      int64  // grows each time that somebody takes it
	Checkpoint string // the sequence number of the last record that is done; End; or "": none
}

// Leases keeps the leases of one stream. Its methods may be called from any goroutine and from any number of processes. Their effects are
// durable when they return. A method that changes a lease takes the lease as the caller saw it. If somebody else has it by now, the
// method changes nothing and returns an error that wraps ErrLost.
type Leases interface {
	// List returns all leases, by shard, as they are now.
	List(ctx context.Context) ([]Lease, error)

	// Add adds leases of shards that have none. It leaves existing leases as they are.
	Add(ctx context.Context, leases []Lease) error

	// Take makes owner the owner of a lease if its owner, beat, and fence are still as the caller saw them. Take increases fence and
	// beat, and clears Next. It returns the changed lease.
	Take(ctx context.Context, seen Lease, owner string) (Lease, error)

	// Renew increases the beats of those leases that still have the same owner and fence. It returns the shards of the others.
	Renew(ctx context.Context, held []Lease) (lost []string, err error)

	// Ask sets Next of a lease that somebody has and nobody has asked for.
	Ask(ctx context.Context, seen Lease, name string) error

	// Save moves the checkpoint of a lease that still has the same owner and fence, and increases its beat.
	Save(ctx context.Context, held Lease, checkpoint string) error

	// Release gives back a lease that still has the same owner and fence. It increases the beat and keeps Next.
	Release(ctx context.Context, held Lease) error

	// Remove deletes a lease whose checkpoint is End. It does nothing if there is no such lease, or its checkpoint is another.
	Remove(ctx context.Context, shard string) error
}
