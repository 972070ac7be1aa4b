package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is where those who add URLs say so. It is the same for all schemas of a database: a hint too many costs nothing.
const channel = "multiscraper_frontier"

// notify queues that workers are told of new work. It is for additions alone: the commits of those who notify wait for each other.
func (t *tx) notify() { t.exec("select pg_notify($1, '')", channel) }

// listen starts a goroutine that calls OnWork, with a connection of its own, until the frontier is closed.
func (f *Frontier) listen() {
	ctx, cancel := context.WithCancel(context.Background())
	f.listener.Go(func() {
		defer cancel()
		<-f.closing
	})
	f.listener.Go(func() {
		for ctx.Err() == nil {
			_ = f.hear(ctx) // a hint that is missed costs a second: workers look too
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	})
}

// hear calls OnWork at each hint until the connection is lost.
func (f *Frontier) hear(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, f.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing depends on it
	if _, err := conn.Exec(ctx, "listen "+channel); err != nil {
		return err
	}
	for {
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
		f.options.OnWork()
	}
}
