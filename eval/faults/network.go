package main

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

// network is the way of some Kafka clients to the brokers: a proxy before each
// broker. It can be cut for one client: then what that client and the brokers send to
// each other does not arrive, and nobody is told; it arrives when the cut is mended,
// unless they have given the connection up. Clients are known by the client id in
// their first request.
type network struct {
	listeners []net.Listener
	ctx       context.Context // ends every connection
	cancel    context.CancelFunc
	open      sync.WaitGroup // connections and accept loops

	mu      sync.Mutex
	cut     map[string]bool
	changed chan struct{} // closed and replaced when cut changes
}

// newNetwork listens for the clients of n brokers on free loopback ports.
func newNetwork(n int) (*network, error) {
	w := &network{cut: make(map[string]bool), changed: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.listeners = append(w.listeners, l)
	}
	return w, nil
}

// addrs are where clients reach the brokers.
func (w *network) addrs() (out []string) {
	for _, l := range w.listeners {
		out = append(out, l.Addr().String())
	}
	return out
}

// forward lets the n'th listener forward to the n'th address.
func (w *network) forward(brokers []string) {
	for i, l := range w.listeners {
		w.open.Go(func() {
			for {
				conn, err := l.Accept()
				if err != nil { // it is closed
					return
				}
				w.open.Go(func() { w.carry(conn, brokers[i]) })
			}
		})
	}
}

func (w *network) close() error {
	w.cancel()
	var errs []error
	for _, l := range w.listeners {
		errs = append(errs, l.Close())
	}
	w.open.Wait()
	return errors.Join(errs...)
}

// set cuts the client off, or mends the cut.
func (w *network) set(client string, cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut[client] = cut
	close(w.changed)
	w.changed = make(chan struct{})
}

// passes returns when the client is not cut off; an error when everything ends.
func (w *network) passes(client string) error {
	for {
		w.mu.Lock()
		cut, changed := w.cut[client], w.changed
		w.mu.Unlock()
		if !cut {
			return w.ctx.Err()
		}
		select {
		case <-changed:
		case <-w.ctx.Done():
			return w.ctx.Err()
		}
	}
}

// carry carries one connection of a client until either side ends it.
func (w *network) carry(conn net.Conn, broker string) {
	defer conn.Close()
	defer context.AfterFunc(w.ctx, func() { conn.Close() })()
	first, client, err := firstRequest(conn)
	if err != nil || w.passes(client) != nil {
		return
	}
	var d net.Dialer
	back, err := d.DialContext(w.ctx, "tcp", broker)
	if err != nil {
		return // as if nobody listened
	}
	defer back.Close()
	if _, err := back.Write(first); err != nil {
		return
	}
	var ways sync.WaitGroup
	way := func(to, from net.Conn) {
		defer to.Close()
		defer from.Close()
		for b := make([]byte, 64<<10); ; {
			n, err := from.Read(b)
			if n > 0 && w.passes(client) == nil {
				if _, err := to.Write(b[:n]); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	ways.Go(func() { way(conn, back) })
	way(back, conn)
	ways.Wait()
}

// firstRequest reads the head of a client's first request, up to its client id: size,
// API key, version and correlation id, then the id with its length before it.
func firstRequest(conn io.Reader) (head []byte, client string, err error) {
	const fixed = 4 + 2 + 2 + 4 + 2
	head = make([]byte, fixed)
	if _, err := io.ReadFull(conn, head); err != nil {
		return nil, "", err
	}
	id := make([]byte, max(0, int16(binary.BigEndian.Uint16(head[fixed-2:])))) // -1: none
	_, err = io.ReadFull(conn, id)
	return append(head, id...), string(id), err
}
