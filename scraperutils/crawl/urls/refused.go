package urls

import (
	"errors"
	"fmt"
	"strings"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
)

// Reason says why a text is refused as a URL.
type Reason string

// These are the reasons.
const (
	NotURL      Reason = "no URL"
	NoHost      Reason = "no host"
	OtherScheme Reason = "other scheme"
	UserInfo    Reason = "user information"
	TooLong     Reason = "too long"
)

// RefusedError reports a text that is not a URL that can be fetched.
type RefusedError struct {
	Text   string // as given, but shortened and without a password
	Reason Reason
	Detail string // what is accepted
}

// Error returns one line, whatever the text holds.
func (e *RefusedError) Error() string { return fmt.Sprintf("%q: %s: %s", e.Text, e.Reason, e.Detail) }

// shown is as much of a text as an error quotes.
const shown = 100

// refuse explains why the parser did not take a text.
func refuse(text string, err error) error {
	refused := &RefusedError{Text: excerpt(text)}
	if known := (*RefusedError)(nil); errors.As(err, &known) {
		refused.Reason, refused.Detail = known.Reason, known.Detail
		return refused
	}
	switch what := whatwgerrors.Type(err); what {
	case whatwgerrors.MissingSchemeNonRelativeURL:
		refused.Reason, refused.Detail = NotURL, "it does not begin with http:// or https://"
	case whatwgerrors.HostMissing:
		refused.Reason, refused.Detail = NoHost, "a name or an address must follow the scheme"
	case whatwgerrors.PortInvalid, whatwgerrors.PortOutOfRange:
		refused.Reason, refused.Detail = NotURL, "its port is not a number of 0 to 65535"
	default:
		refused.Reason, refused.Detail = badHost.Reason, badHost.Detail
	}
	return refused
}

func (f Form) tooLong(text string) error {
	return &RefusedError{excerpt(text), TooLong, fmt.Sprintf("at most %d bytes are taken", f.maxLength())}
}

// excerpt is the beginning of a text, without what stands before an @ in its authority.
func excerpt(text string) string {
	start := 0
	if scheme := schemeOf(text); scheme != "" {
		start = len(scheme) + 1
	}
	start = len(text) - len(strings.TrimLeft(text[start:], `/\`))
	authority := text[start:]
	if end := strings.IndexAny(authority, `/\?#`); end >= 0 {
		authority = authority[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		text = text[:start] + "…" + text[start+at:]
	}
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "") + "…"
	}
	return text
}

// IsTooLong reports whether an error says that a URL is only too long.
func IsTooLong(err error) bool {
	refused := (*RefusedError)(nil)
	return errors.As(err, &refused) && refused.Reason == TooLong
}
