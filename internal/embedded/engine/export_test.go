package engine

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// Socket is the unix socket that speaks the ClickHouse HTTP protocol.
func (e *Engine) Socket() string { return e.socket }

// Installer is Install with what it takes from outside.
type Installer = installer

// NewInstaller installs a library of the given content's checksums.
func NewInstaller(version, integrity, sum string, resolve func(context.Context) (string, error), client *http.Client) *Installer {
	p := pin{Package: "@test/lib", Version: version, Integrity: integrity, Member: "package/lib.so", SHA512: sum}
	return &installer{pin: p, resolve: func(ctx context.Context, _ pin) (string, error) { return resolve(ctx) }, client: client}
}

// Platform is the pin of a platform.
func Platform(os, arch string) error {
	_, err := platformOf(os, arch)
	return err
}

// FaultAfterConnect loads the library, opens dir and then does what Go code does
// now and then: it dereferences nil and recovers.
func FaultAfterConnect(lib, dir string, out io.Writer) error {
	l, err := open(lib)
	if err != nil {
		return err
	}
	p, err := newPool(l, dir, 1, nil)
	if err != nil {
		return err
	}
	for range 3 {
		func() {
			defer func() { fmt.Fprintln(out, "recovered:", recover()) }()
			var nothing *pin
			fmt.Fprintln(out, nothing.Version)
		}()
	}
	if _, err := p.hello(); err != nil {
		return err
	}
	fmt.Fprintln(out, "answers")
	return nil
}
