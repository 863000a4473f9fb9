package main

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"livehost/internal/testkit"
)

// hello is the first request of a Kafka client: ApiVersions, version 0, correlation 1.
func hello(client string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(10+len(client)))
	b = append(b, 0, 18, 0, 0, 0, 0, 0, 1)
	b = binary.BigEndian.AppendUint16(b, uint16(len(client)))
	return append(b, client...)
}

// A cut holds back what one client sends, and lets others through; it arrives when
// the cut is mended.
func TestNetworkCutsOneClientOff(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	echo, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); _, _ = io.Copy(conn, conn) }()
		}
	}()
	t.Cleanup(func() { echo.Close() })
	w, err := newNetwork(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	w.forward([]string{echo.Addr().String()})
	var d net.Dialer
	dial := func(client string) net.Conn {
		t.Helper()
		conn, err := d.DialContext(t.Context(), "tcp", w.addrs()[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := conn.Write(hello(client)); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	back := func(conn net.Conn, want string, within time.Duration) bool {
		t.Helper()
		got := make([]byte, len(want))
		_ = conn.SetReadDeadline(time.Now().Add(within))
		_, err := io.ReadFull(conn, got)
		return err == nil && string(got) == want
	}
	one, other := dial("one"), dial("other")
	if !back(one, string(hello("one")), testkit.Patience) || !back(other, string(hello("other")), testkit.Patience) {
		t.Fatal("the first requests did not come through as they were")
	}
	w.set("one", true)
	for _, conn := range []net.Conn{one, other} {
		if _, err := io.WriteString(conn, "during"); err != nil {
			t.Fatal(err)
		}
	}
	late := dial("one") // connects, and gets no further
	if !back(other, "during", testkit.Patience) {
		t.Error("the other client is cut off, too")
	}
	if back(one, "d", 200*time.Millisecond) || back(late, "\x00", 200*time.Millisecond) {
		t.Error("something came through the cut")
	}
	w.set("one", false)
	if !back(one, "during", testkit.Patience) || !back(late, string(hello("one")), testkit.Patience) {
		t.Error("what was sent during the cut did not arrive after it")
	}
}

func TestFirstRequestWithoutClientID(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	go func() { _, _ = a.Write(append([]byte{0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1}, 0xff, 0xff)) }()
	head, client, err := firstRequest(b)
	if err != nil || client != "" || len(head) != 14 {
		t.Errorf("%q of %d bytes, %v", client, len(head), err)
	}
}
