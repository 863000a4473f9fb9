package web_test

import (
	"net"
	"strings"
	"testing"
)

// A connection that is open and silent, as browsers keep them, does not hold up
// or fail a stop.
func TestStopWithSilentConnection(t *testing.T) {
	t.Parallel()
	r := start(t)
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r.shows(t, "/", "Live")
	r.end()
}
