package web

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"livehost/web/board"
)

// Config is how the console serves.
type Config struct {
	Addr       string `yaml:"addr"`       // loopback host:port; port 0: a free one
	Danmaku    int    `yaml:"danmaku"`    // the live page remembers the newest so many
	Streams    int    `yaml:"streams"`    // live pages open at once, at most
	FromStart  bool   `yaml:"from_start"` // read the whole retained log first, not only what comes
	Restricted bool   `yaml:"restricted"` // show reasoning and raw policy output
}

// DefaultConfig is a console on port 8080 of this machine.
func DefaultConfig() Config {
	return Config{Addr: "127.0.0.1:8080", Danmaku: board.DefaultConfig().Danmaku, Streams: 64}
}

// Validate reports every problem.
func (c Config) Validate() error {
	problems := []error{validAddr(c.Addr), c.board().Validate()}
	if c.Streams < 1 {
		problems = append(problems, errors.New("streams: must be at least 1"))
	}
	return errors.Join(problems...)
}

func (c Config) board() board.Config {
	return board.Config{Danmaku: c.Danmaku, Reasoning: c.Restricted}
}

func validAddr(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("addr: %q is not host:port", addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("addr: port %q is not a number up to 65535", port)
	}
	if !loopback(host) {
		return fmt.Errorf("addr: %q is not a loopback address; the console has no log-in yet, so it serves 127.0.0.1, ::1 or localhost only (use an SSH tunnel from elsewhere)", host)
	}
	return nil
}

// loopback reports whether a host can only mean this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
