package runlog_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// withStack is an error that knows where it comes from.
type withStack struct {
	error
	lines []string
}

func (e withStack) StackLines() []string { return e.lines }

func TestBacktrace(t *testing.T) {
	lib, own := "/app/vendor/x.rb:1", "/app/lib/s.rb:"
	for _, c := range []struct{ in, want []string }{
		{[]string{lib, lib, "/r/gems/y.rb:2", own + "1", own + "2", own + "3", own + "4", own + "5"}, []string{lib, lib, own + "1", own + "2", own + "3", own + "4"}},
		{[]string{own + "1", lib, lib, lib}, []string{own + "1", lib}},
		{[]string{lib}, []string{lib}},
		{nil, nil},
		{[]string{"main.go:1", "main.go:2", "/usr/local/go/src/net/http/server.go:3", "/m/github.com/x/y@v1.2.3/y.go:4", "main.go:5"}, []string{"main.go:1", "main.go:2", "main.go:5"}},
	} {
		assert.Equal(t, c.want, runlog.BacktraceOf(fmt.Errorf("x: %w", withStack{errors.New("x"), c.in})))
	}
	assert.Nil(t, runlog.BacktraceOf(errors.New("x")))
	assert.Equal(t, " [/app/lib/s.rb:1]", runlog.ProjectLine(withStack{errors.New("x"), []string{lib, own + "1"}}))
	assert.Equal(t, "", runlog.ProjectLine(withStack{errors.New("x"), []string{lib}}))
	assert.Equal(t, "", runlog.ProjectLine(errors.New("x")))
}

func TestTypeName(t *testing.T) {
	status := &scraperutils.StatusError{Status: 500}
	for want, errs := range map[string][]error{
		"scraperutils.StatusError": {status, fmt.Errorf("x: %w", status), errors.Join(errors.New("x"), status), fmt.Errorf("%w %w", errors.Join(errors.New("x")), status)},
		"errors.errorString":       {errors.New("x"), errors.Join(errors.New("x"), errors.New("y"))},
	} {
		for _, err := range errs {
			assert.Equal(t, want, runlog.TypeName(err), "%#v", err)
		}
	}
}
