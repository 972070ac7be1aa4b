package postgrestest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// unused is the folder of the empty database that is copied, for this server and those that are Like it.
const unused = "unused"

// newest returns the last match of a pattern, or "".
func newest(pattern string) string {
	found, _ := filepath.Glob(pattern)
	slices.Sort(found)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// prepare makes the folder and the empty database in it.
func (s *Server) prepare() error {
	folder, err := os.MkdirTemp("", "postgrestest")
	if err != nil {
		return err
	}
	s.folder = folder
	if err := give(folder); err != nil {
		return err
	}
	if err := s.empty(); err != nil {
		return err
	}
	settings := append([]string{
		"listen_addresses = '127.0.0.1'", fmt.Sprintf("unix_socket_directories = '%s'", folder),
		"max_connections = 200", "shared_buffers = 64MB", "log_min_messages = fatal", "log_min_error_statement = panic",
	}, s.Settings...)
	if !s.Durable {
		settings = append(settings, "fsync = off", "synchronous_commit = off", "full_page_writes = off", "jit = off")
	}
	return s.configure(settings...)
}

// configure adds settings, which replace earlier ones of the same name.
func (s *Server) configure(settings ...string) error {
	file, err := os.OpenFile(filepath.Join(s.folder, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.Join(settings, "\n") + "\n")
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}

// firstStart starts the server at a free port. Somebody else may take the port first, so that it is tried again.
func (s *Server) firstStart() (err error) {
	for range 5 {
		if s.port, err = freePort(); err != nil {
			return err
		}
		if err = s.configure(fmt.Sprintf("port = %d", s.port)); err != nil {
			return err
		}
		if err = s.start(); err == nil {
			return nil
		}
	}
	return err
}

// empty makes the database in the folder.
func (s *Server) empty() error {
	from := filepath.Join(s.folder, unused)
	if s.Like != nil {
		s.Like.mu.Lock()
		defer s.Like.mu.Unlock()
		from = filepath.Join(s.Like.folder, unused)
	} else if err := s.initdb(from); err != nil {
		return err
	}
	return s.run("cp", "-a", from, filepath.Join(s.folder, "data"))
}

// initdb makes an empty database in a folder that is not there yet.
func (s *Server) initdb(data string) error {
	password := filepath.Join(s.folder, "password")
	if err := os.WriteFile(password, []byte("secret\n"), 0o600); err != nil {
		return err
	}
	if err := give(password); err != nil {
		return err
	}
	return s.run(filepath.Join(s.bin, "initdb"), "-D", data, "-U", "tester", "--pwfile", password,
		"--auth=password", "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions")
}

// run runs a program in the folder, as who the server runs as.
func (s *Server) run(program string, args ...string) error {
	c := exec.Command(program, args...)
	c.Dir, c.SysProcAttr = s.folder, asNobody()
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, out)
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
