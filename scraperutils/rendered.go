package scraperutils

import "context"

type renderedKey struct{}

// WithRendered returns the context of a request whose document is wanted as it is after its scripts, for a transport that can have it so.
func WithRendered(ctx context.Context) context.Context {
	return context.WithValue(ctx, renderedKey{}, true)
}

// WantsRendered reports whether a request is WithRendered.
func WantsRendered(ctx context.Context) bool { return ctx.Value(renderedKey{}) != nil }
