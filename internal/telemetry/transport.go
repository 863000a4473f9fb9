package telemetry

import (
	"net/http"

	"go.opentelemetry.io/otel/propagation"
)

// Transport is next with the trace in each request's traceparent header, so that a
// server that traces too goes on with it.
func (in *Instruments) Transport(next http.RoundTripper) http.RoundTripper {
	if in == nil {
		return next
	}
	return transport{next}
}

type transport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	propagation.TraceContext{}.Inject(req.Context(), propagation.HeaderCarrier(req.Header))
	return t.next.RoundTrip(req)
}

// CloseIdleConnections closes next's, as http.Client wants it.
func (t transport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
