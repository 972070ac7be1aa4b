package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Webhook is an address that takes a message as JSON in a POST. Slack, Mattermost and others show its "text".
type Webhook struct {
	url    *url.URL
	client *http.Client
}

// ParseWebhook reads the address of a webhook: http or https, with a host. No error holds the address.
func ParseWebhook(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("it is no URL")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("it must begin with https:// or http://")
	case u.Hostname() == "":
		return nil, errors.New("it has no host")
	}
	return u, nil
}

// NewWebhook returns the webhook at an address that ParseWebhook has read. transport is the way to it; nil is http.DefaultTransport,
// which goes through the proxy that the environment names (HTTPS_PROXY).
func NewWebhook(u *url.URL, transport http.RoundTripper) *Webhook {
	return &Webhook{u, &http.Client{
		Transport: transport,
		// A redirect would take the message to who knows where: into this network, or to a login page that answers 200.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// String names the webhook by its host: the rest of its address is the key to it.
func (w *Webhook) String() string { return "the webhook at " + w.url.Host }

// Send posts the message. Any answer of 2xx accepts it.
func (w *Webhook) Send(ctx context.Context, m Message) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url.String(), bytes.NewReader(m.JSON))
	if err != nil {
		return w.refused(errors.New("no request can be made of its address"))
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("User-Agent", "multiscraper")
	answer, err := w.client.Do(request)
	if err != nil {
		return w.failed(plain(err))
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection can be closed in peace
	return w.judge(answer)
}

// judge reads the status of an answer. Its text is left alone: some webhooks repeat their address there.
func (w *Webhook) judge(answer *http.Response) error {
	why := fmt.Errorf("it answered %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code >= 300 && code < 400:
		return w.refused(fmt.Errorf("%w; redirects are not followed: give the address where it ends", why))
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
		seconds, _ := time.ParseDuration(strings.TrimSpace(answer.Header.Get("Retry-After")) + "s") // 0 where there is none, or a date
		return &laterError{w.failed(why), max(seconds, 0)}
	case code == http.StatusRequestTimeout, code >= 500:
		return w.failed(why)
	}
	return w.refused(why)
}

func (w *Webhook) failed(why error) error  { return fmt.Errorf("%s: %w", w, why) }
func (w *Webhook) refused(why error) error { return &RefusedError{w.failed(why)} }

// plain is an error of net/http without the address that it was about.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
