package listing

import (
	"context"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// NextButton finds the next page by pressing a button of a form, the first that a CSS selector finds. No button, and one that is
// disabled, is the end.
func NextButton(selector string) Next {
	return func(ctx context.Context, at *At) (*agent.Page, error) {
		buttons, err := find(at.Page, selector)
		if err != nil || buttons.Length() == 0 {
			return nil, err
		}
		forms, err := at.Page.Forms()
		if err != nil {
			return nil, err
		}
		wanted := buttons.First()
		if _, disabled := wanted.Attr("disabled"); disabled {
			return nil, nil
		}
		for _, form := range forms {
			for _, field := range form.Fields() {
				if field.Node != nil && field.IsButton() && field.Node.Get(0) == wanted.Get(0) {
					return form.Submit(ctx, field)
				}
			}
		}
		return nil, at.Page.Missing("form of the button " + selector)
	}
}
