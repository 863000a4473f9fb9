package tool

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

var errInside = errors.New("the name leads to an address inside")

// Transport is for HTTP tools: a host that is allowed by name is not called at an
// address inside (loopback, private, link-local and their like) unless
// Config.HTTPInside lists it too, whatever the name resolves to at the moment of the
// call. An address that is allowed as such is.
func (c Config) Transport() *http.Transport {
	const connect = 3 * time.Second // wall
	guarded := &net.Dialer{Timeout: connect, ControlContext: outside}
	open := &net.Dialer{Timeout: connect}
	return &http.Transport{ // no proxy of the environment: it would resolve names itself
		MaxIdleConnsPerHost: 4, IdleConnTimeout: 2 * time.Minute, TLSHandshakeTimeout: connect, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(addr)
			if err != nil {
				return nil, err
			}
			if _, err := netip.ParseAddr(host); err == nil || slices.Contains(c.HTTPInside, addr) {
				return open.DialContext(ctx, network, addr)
			}
			return guarded.DialContext(ctx, network, addr)
		},
	}
}

// outside refuses a connection to an address inside; it sees the address that the
// name was resolved to.
func outside(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if ip := ap.Addr().Unmap(); !ip.IsGlobalUnicast() || ip.IsPrivate() || slices.ContainsFunc(inside, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return fmt.Errorf("%s: %w", ip, errInside)
	}
	return nil
}

// inside are the further ranges that lead to ourselves, our carrier or nowhere.
var inside = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}
