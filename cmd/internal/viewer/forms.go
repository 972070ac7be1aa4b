package viewer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

var errNoForm = errors.New("the page has no form")

func (s *Shell) listForms(context.Context, string) error {
	if len(s.forms) == 0 {
		return errNoForm
	}
	for n, form := range s.forms {
		fmt.Fprintf(s.Out, "form %d\n", n+1)
		for _, f := range form.Fields() {
			switch {
			case f.IsButton():
				fmt.Fprintf(s.Out, "  [%s]\n", short(labelOf(f), 60))
			case f.Type == "hidden":
			default:
				fmt.Fprintf(s.Out, "  %s = %s%s\n", f.Name, short(f.Value, 60), map[bool]string{true: " (chosen)"}[f.Checked])
			}
		}
	}
	return nil
}

// labelOf is what stands on a button.
func labelOf(f *agent.Field) string {
	if label := strings.TrimSpace(f.Label); label != "" {
		return label
	}
	return f.Value
}

// set fills in a field of the first form that has it.
func (s *Shell) set(_ context.Context, argument string) error {
	name, value, _ := strings.Cut(argument, " ")
	for _, form := range s.forms {
		field := form.Field(name)
		if field == nil {
			continue
		}
		s.form = form
		if field.Type != "radio" && field.Type != "checkbox" {
			form.Set(name, strings.TrimSpace(value))
			return nil
		}
		i := slices.IndexFunc(form.Fields(), func(f *agent.Field) bool { return f.Name == name && f.Value == strings.TrimSpace(value) })
		if i < 0 {
			return fmt.Errorf("%s has no choice %q: forms lists them", name, strings.TrimSpace(value))
		}
		form.Choose(form.Fields()[i])
		return nil
	}
	return fmt.Errorf("no form has a field %s: forms lists them", name)
}

func (s *Shell) submit(ctx context.Context, label string) error {
	if len(s.forms) == 0 {
		return errNoForm
	}
	all := s.forms
	if s.form != nil {
		all = []*agent.Form{s.form}
	}
	if label == "" {
		return s.follow(all[0].Submit(ctx, nil))
	}
	for _, form := range all {
		if button := form.Button(label); button != nil {
			return s.follow(form.Submit(ctx, button))
		}
	}
	return fmt.Errorf("there is no button %q: forms lists them", label)
}
