package cli

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// failing is a file whose next writes fail like this; nil is success.
type failing []error

func (f *failing) Write(b []byte) (int, error) {
	err := (*f)[0]
	*f = (*f)[1:]
	if err != nil {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: err}
	}
	return len(b), nil
}

// Nothing that becomes of standard output ends a run. Only what is missing there is told.
func TestOutlet(t *testing.T) {
	for name, c := range map[string]struct {
		file     failing
		terminal bool
		problem  string
		left     int // writes that were not tried
	}{
		"all is well":             {failing{nil, nil, nil}, false, "", 0},
		"its reader goes away":    {failing{nil, syscall.EPIPE, nil}, false, "", 1},
		"its connection is reset": {failing{syscall.ECONNRESET, nil, nil}, false, "", 2},
		"its terminal is closed":  {failing{syscall.EIO, nil, nil}, true, "", 2},
		"its disk is broken":      {failing{syscall.EIO, nil, nil}, false, "standard output is not whole: write /dev/stdout: input/output error", 0},
		"its disk was full once":  {failing{syscall.ENOSPC, nil, nil}, false, "standard output is not whole: write /dev/stdout: no space left on device", 0},
		"the first failure is it": {failing{syscall.ENOSPC, syscall.EIO, nil}, false, "standard output is not whole: write /dev/stdout: no space left on device", 0},
		"nobody opened it":        {failing{syscall.EBADF, syscall.EBADF, syscall.EBADF}, false, "standard output is not whole: write /dev/stdout: bad file descriptor", 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := &outlet{name: "standard output", file: &c.file, terminal: c.terminal}
			for range 3 {
				n, err := o.Write([]byte("text"))
				assert.NoError(t, err)
				assert.Equal(t, 4, n)
			}
			assert.Len(t, c.file, c.left)
			if c.problem == "" {
				assert.NoError(t, o.problem())
			} else {
				assert.EqualError(t, o.problem(), c.problem)
			}
		})
	}
}
