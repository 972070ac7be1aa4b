package masterview

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

var (
	agreeMark = cascadia.MustCompile("#agree")
	yes       = regexp.MustCompile(`(?i)\bagree\b`)
	no        = regexp.MustCompile(`(?i)\b(?:not|don.?t)\b`) // "disagree" is no whole word "agree"
)

const termsForms = "#aspnetForm, #frmApplicationMaster, #frmMasterView"

// agree accepts the terms and reports whether the page has any.
func agree(ctx context.Context, page *agent.Page) (bool, error) {
	form, button, err := findTerms(page)
	if err != nil || form == nil {
		return false, err
	}
	if field := form.Field("agreed"); field != nil {
		form.Set("agreed", "true")
		form.Choose(field) // it may be a checkbox
	}
	if button != nil && button.Type != "submit" && button.Type != "image" {
		button = nil // its script submits the form, and a browser then sends no button
	}
	if _, err := form.Submit(ctx, button); err != nil {
		return false, fmt.Errorf("agree to the terms: %w", err)
	}
	return true, nil
}

// findTerms returns the form with the button to agree, or nil. The button is nil where it is none of the form's.
func findTerms(page *agent.Page) (*agent.Form, *agent.Field, error) {
	forms, err := page.Forms()
	if err != nil {
		return nil, nil, err
	}
	for _, form := range forms {
		if i := slices.IndexFunc(form.Fields(), agrees); i >= 0 {
			return form, form.Fields()[i], nil
		}
	}
	document, err := page.Document()
	if err != nil || document.FindMatcher(agreeMark).Length() == 0 {
		return nil, nil, err
	}
	if len(forms) == 1 {
		return forms[0], nil, nil
	}
	form, err := page.Form(termsForms)
	return form, nil, err
}

func agrees(f *agent.Field) bool {
	says := f.Label + "\n" + f.Value
	return f.IsButton() && (f.Node.AttrOr("id", "") == "agree" || yes.MatchString(says) && !no.MatchString(says))
}
