//go:build !linux

package durable

import (
	"errors"
	"os"
)

// bypass is nothing that other systems do alike.
func bypass(*os.File, bool) error { return errors.ErrUnsupported }
