package registertest

import (
	"net/http"
	"net/http/httptest"
)

// InProcess answers requests to any host without a network. Fuzz targets need it: they run often, and a server's own goroutines
// would look to them like something new each time.
func InProcess(handler http.HandlerFunc) http.RoundTripper { return inProcess(handler) }

type inProcess http.HandlerFunc

func (handle inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	incoming := r.Clone(r.Context())
	incoming.RequestURI = r.URL.RequestURI()
	if incoming.Body == nil {
		incoming.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	handle(recorder, incoming)
	response := recorder.Result()
	response.Request = r
	return response, nil
}
