package crawl

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

type gone struct{ error }

func (gone) Permanent() bool { return true }

// A sink that fails may work again, and pages must not be lost for that it did not.
func TestWhatIsTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"a full disk":             {&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, true},
		"a broker that is down":   {&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, true},
		"anything":                {errors.New("locked"), true},
		"a reader that went away": {fmt.Errorf("store: %w", gone{syscall.EPIPE}), false},
		"another schema":          {fmt.Errorf("claim: %w", &SchemaError{}), false},
	} {
		assert.Equal(t, c.want, temporary(c.err), name)
	}
}
