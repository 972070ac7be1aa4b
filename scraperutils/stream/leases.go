package stream

import "context"

// Lease says how far a shard is done, and who may go on with it.
type Lease struct {
	Shard      string
	Owner      string // "": nobody
	Next       string // who asked for it, and takes it when it is released; "": nobody
	Beat       int64  // grows with each sign of life of its owner
	Fence      int64  // grows each time that it is taken
	Checkpoint string // of the last record that is done; End; "": none
}

// Leases keeps the leases of one stream. Its methods may be called from any goroutine and from any number of processes; what they did is
// durable when they return. A method that changes a lease is given it as it was seen; where it is somebody else's by now it changes
// nothing and returns an error that is ErrLost.
type Leases interface {
	// List returns all leases, by shard, as they are now.
	List(ctx context.Context) ([]Lease, error)

	// Add adds leases of shards that have none, and leaves the others as they are.
	Add(ctx context.Context, leases []Lease) error

	// Take makes owner the owner of a lease whose owner, beat and fence are still as they were seen. Fence and beat grow, Next is
	// forgotten. It returns the lease as it is then.
	Take(ctx context.Context, seen Lease, owner string) (Lease, error)

	// Renew has the beats of leases grow that have still the same owner and fence. It returns the shards of the others.
	Renew(ctx context.Context, held []Lease) (lost []string, err error)

	// Ask puts a name down for a lease that somebody has and nobody has asked for.
	Ask(ctx context.Context, seen Lease, name string) error

	// Save moves the checkpoint of a lease that has still the same owner and fence. Its beat grows.
	Save(ctx context.Context, held Lease, checkpoint string) error

	// Release gives a lease back that has still the same owner and fence. Its beat grows, Next stays.
	Release(ctx context.Context, held Lease) error

	// Remove forgets a lease whose checkpoint is End. One that is not there, or not at its end, is left as it is.
	Remove(ctx context.Context, shard string) error
}
