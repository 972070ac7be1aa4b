package scaffold

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/multiscraper/multiscraper/scraperutils"
)

//go:embed all:templates
var templates embed.FS

// Module is what is written.
type Module struct {
	Name    string // of the command
	Module  string // its path, as imports have it
	Version string // of Multiscraper, which it needs
	Replace string // the folder of a Multiscraper that is used instead of that version; "" is none
}

// project is the module of Multiscraper.
const project = "github.com/multiscraper/multiscraper"

// name is what can be a command, a module and the beginning of variables.
var name = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// Check refuses what can't be a module.
func (m Module) check() error {
	if !name.MatchString(m.Name) {
		return &scraperutils.ConfigError{Name: "dir", Value: m.Name, Accepted: "a folder whose name begins with a small letter, and has those, digits, - and _ alone: it is the name of the command too"}
	}
	return nil
}

// Write writes the module into a folder, which it makes where it is not there. It refuses one that is not empty. It returns the files that it has
// written, relative to the folder.
func (m Module) Write(dir string) (written []string, err error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	files, err := m.files()
	if err != nil {
		return nil, err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, &scraperutils.ConfigError{Name: "dir", Value: dir, Accepted: "a folder that is empty, or not there yet; this one has " + entries[0].Name()}
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return written, err
		}
		if err := os.WriteFile(path, f.text, 0o644); err != nil {
			return written, err
		}
		written = append(written, f.path)
	}
	return written, nil
}

// file is one that is to be written.
type file struct {
	path string // with slashes
	text []byte
}

// files returns all of them, filled in.
func (m Module) files() (all []file, err error) {
	sums, err := m.sums()
	if err != nil {
		return nil, err
	}
	all = append(all, sums...)
	err = fs.WalkDir(templates, "templates", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := templates.ReadFile(path)
		if err != nil {
			return err
		}
		to, isTemplate := strings.CutSuffix(strings.TrimPrefix(path, "templates/"), ".tmpl")
		if isTemplate {
			if text, err = m.fill(path, string(text)); err != nil {
				return err
			}
		}
		if to == "gitignore" {
			to = ".gitignore"
		}
		all = append(all, file{to, text})
		return nil
	})
	return all, err
}

func (m Module) fill(path, text string) ([]byte, error) {
	t, err := template.New(path).Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, m); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// required is the blocks of a go.mod that say what a module needs.
var required = regexp.MustCompile(`(?ms)^require \(\n.*?^\)\n|^require [^(\n]+\n`)

// sums returns go.mod. Beside a folder that replaces a version, all that is needed is known, so that nothing has to be fetched: it stands in
// go.mod and go.sum of that folder.
func (m Module) sums() ([]file, error) {
	mod := fmt.Sprintf("module %s\n\ngo 1.26.0\n\nrequire %s %s\n", m.Module, project, m.Version)
	if m.Replace == "" {
		return []file{{"go.mod", []byte(mod)}}, nil
	}
	theirs, err := scraperutils.ReadFile(filepath.Join(m.Replace, "go.mod"), 1<<20)
	if err == nil && !bytes.HasPrefix(theirs, []byte("module "+project+"\n")) {
		err = fmt.Errorf("it is not the module %s", project)
	}
	if err != nil {
		return nil, &scraperutils.ConfigError{Name: "--replace", Value: m.Replace, Accepted: "the folder of a Multiscraper, with its go.mod (" + err.Error() + ")"}
	}
	sum, err := scraperutils.ReadFile(filepath.Join(m.Replace, "go.sum"), 4<<20)
	if err != nil {
		return nil, err
	}
	mod += fmt.Sprintf("\nreplace %s => %s\n", project, m.Replace)
	for _, block := range required.FindAllString(string(theirs), -1) {
		mod += "\n" + block
	}
	return []file{{"go.mod", []byte(mod)}, {"go.sum", sum}}, nil
}
