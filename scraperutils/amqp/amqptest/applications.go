package amqptest

import (
	"os"
	"path/filepath"
)

// Where Debian has what the server is made of, plugins that no test needs among it, and what that stands on.
const (
	applications = "/usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins"
	erlang       = "/usr/lib/erlang/lib/*/ebin/*.beam"
)

// shortcut is what lets a server start in half the processor time. It looks each of its modules up in a hundred folders, and reads
// whatever it finds among its plugins.
type shortcut struct {
	plugins string // a folder with the server alone
	modules string // a folder with all modules, to be looked in first
}

// link fills a folder with links to what Debian has. The shortcut is nil where the server is not Debian's.
func link(folder string) (*shortcut, error) {
	server, _ := filepath.Glob(filepath.Join(applications, "rabbit-*")) // the patterns are good
	if len(server) != 1 {
		return nil, nil
	}
	s := &shortcut{plugins: filepath.Join(folder, "applications"), modules: filepath.Join(folder, "modules")}
	if err := linkAll(server, s.plugins); err != nil {
		return nil, err
	}
	modules, _ := filepath.Glob(erlang)
	more, _ := filepath.Glob(filepath.Join(applications, "*", "ebin", "*.beam"))
	return s, linkAll(append(modules, more...), s.modules)
}

// linkAll makes a folder of links to files. Of those with the same name it has the first.
func linkAll(files []string, folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Symlink(file, filepath.Join(folder, filepath.Base(file))); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
}
