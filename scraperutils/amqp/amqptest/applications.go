package amqptest

import (
	"os"
	"path/filepath"
	"strings"
)

// applications is where Debian has what the server is made of, among all plugins.
const applications = "/usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins"

// linkApplications fills a folder with what the server is made of, without its plugins: it reads all that it finds there at each
// start, which takes processor time and serves no test. It returns "" where the server is not Debian's.
func linkApplications(folder string) (string, error) {
	all, err := filepath.Glob(filepath.Join(applications, "*"))
	if err != nil || len(all) == 0 {
		return "", err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	for _, path := range all {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "rabbitmq_") && !strings.HasPrefix(name, "rabbitmq_prelaunch") {
			continue
		}
		if err := os.Symlink(path, filepath.Join(folder, name)); err != nil {
			return "", err
		}
	}
	return folder, nil
}
