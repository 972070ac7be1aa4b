package workers

import "net/http"

// Through has a Watcher ask through another transport.
func (w *Watcher) Through(t http.RoundTripper) { w.client.Transport = t }
