package cassette

import (
	"errors"
	"fmt"
	"iter"

	"go.yaml.in/yaml/v3"
)

// nodeReader reads the nodes of one file, each of them once. Aliases could make a small file stand for a huge recording, so
// it reads no more nodes than the file has bytes.
type nodeReader struct {
	left int // nodes that may still be read
}

var errTooManyAliases = errors.New("its aliases (*name) repeat more than the file holds; write the values out")

// mapping returns the pairs of a mapping, aliases resolved.
func (r *nodeReader) mapping(n *yaml.Node, name string) (iter.Seq2[string, *yaml.Node], error) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s is %s; expected a mapping", name, kindOf(n))
	}
	pairs := func(yield func(string, *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(resolve(n.Content[i]).Value, resolve(n.Content[i+1])) {
				return
			}
		}
	}
	return pairs, r.spend(len(n.Content))
}

func (r *nodeReader) list(n *yaml.Node, name string) ([]*yaml.Node, error) {
	n = resolve(n)
	if n.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s is %s; expected a list", name, kindOf(n))
	}
	return n.Content, r.spend(len(n.Content))
}

// text returns a string, "" for null.
func (r *nodeReader) text(n *yaml.Node, name string) (string, error) {
	n = resolve(n)
	switch {
	case n.Kind != yaml.ScalarNode:
		return "", fmt.Errorf("%s is %s; expected text", name, kindOf(n))
	case isNull(n):
		return "", nil
	case isBinary(n):
		b, err := decodeBase64(n.Value)
		if err != nil {
			return "", fmt.Errorf("%s is %w", name, err)
		}
		return string(b), nil
	}
	return n.Value, nil
}

// body reads the encoding and string of a body, or a body that is a string alone. Base64 stays as it is.
func (r *nodeReader) body(n *yaml.Node, name string) (Body, error) {
	n = resolve(n)
	if n.Kind == yaml.ScalarNode {
		return r.bodyText(n, name)
	}
	pairs, err := r.mapping(n, name)
	if err != nil {
		return Body{}, err
	}
	var body Body
	var encoding, cut string
	for key, value := range pairs {
		switch key {
		case "encoding":
			encoding, err = r.text(value, name+".encoding")
		case "string":
			body, err = r.bodyText(value, name+".string")
		case "base64_string":
			if body, err = r.bodyText(value, name+".base64_string"); err == nil {
				body.form = formBase64
			}
		case "cut":
			cut, err = r.text(value, name+".cut")
		}
		if err != nil {
			return Body{}, err
		}
	}
	if body.form == formRaw {
		body.form = formOf(encoding)
	}
	switch body.Cut = Cut(cut); body.Cut {
	case Whole, Interrupted, NotKept:
		return body, nil
	}
	return Body{}, fmt.Errorf("%s.cut is %q; expected %q, %q or nothing", name, cut, Interrupted, NotKept)
}

func (r *nodeReader) bodyText(n *yaml.Node, name string) (Body, error) {
	if n = resolve(n); n.Kind == yaml.ScalarNode && isBinary(n) {
		return Body{text: n.Value, form: formBase64}, nil
	}
	s, err := r.text(n, name)
	return Body{text: s}, err
}

func (r *nodeReader) spend(nodes int) error {
	if r.left -= nodes; r.left < 0 {
		return errTooManyAliases
	}
	return nil
}

// resolve returns what an alias stands for, which is never an alias itself.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = resolve(n)
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// isBinary tells base64: !!binary is YAML's own tag, and Ruby writes !binary.
func isBinary(n *yaml.Node) bool {
	return n.Tag == "!binary" || n.ShortTag() == "!!binary"
}

func kindOf(n *yaml.Node) string {
	switch {
	case isNull(n):
		return "empty"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	default:
		return "text"
	}
}
