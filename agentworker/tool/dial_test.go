package tool_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"livehost/agentworker/tool"
)

// A name that leads inside is refused when it is dialled, whatever it was before; an
// address that is allowed as such, or a name that is listed, is called.
func TestTransportStaysOutside(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer srv.Close()
	_, port, err := net.SplitHostPort(srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		host   string
		inside []string
		ok     bool
	}{
		{"localhost", nil, false},
		{"localhost", []string{"localhost:" + port}, true},
		{"localhost", []string{"localhost:1"}, false},
		{"127.0.0.1", nil, true},
	} {
		tr := tool.Config{HTTPInside: tt.inside}.Transport()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+tt.host+":"+port, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		tr.CloseIdleConnections()
		if (err == nil) != tt.ok || !tt.ok && !strings.Contains(err.Error(), "leads to an address inside") {
			t.Errorf("%s with %v: %v, want allowed %v", tt.host, tt.inside, err, tt.ok)
		}
	}
}

// The allow-list and the dialer name a host in the same way.
func TestHostPort(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://shop/x": "shop:80", "https://shop/x": "shop:443", "http://shop:8080/x": "shop:8080", "https://[2001:db8::1]/x": "[2001:db8::1]:443", "http://[2001:db8::1]:8080/x": "[2001:db8::1]:8080",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := tool.HostPort(u); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestAddressesInside(t *testing.T) {
	t.Parallel()
	for addr, inside := range map[string]bool{
		"127.0.0.1:80": true, "10.1.2.3:80": true, "172.16.0.1:80": true, "192.168.1.1:80": true, "169.254.169.254:80": true, "0.0.0.0:80": true,
		"100.64.1.1:80": true, "[::1]:80": true, "[fe80::1%eth0]:80": true, "[fd00::1]:80": true, "[::ffff:10.0.0.1]:80": true, "[64:ff9b::a00:1]:80": true,
		"224.0.0.1:80": true, "255.255.255.255:80": true, "[::]:80": true,
		"93.184.216.34:80": false, "[2606:2800:220:1::1]:443": false, "172.32.0.1:80": false,
	} {
		if err := tool.Outside(context.Background(), "tcp", addr, nil); (err != nil) != inside {
			t.Errorf("%s: %v, want inside %v", addr, err, inside)
		}
	}
}
