package engine

import (
	"syscall"
	"unsafe"
)

// The kernel's struct sigaction is opaque to us: it is read and written back.
const (
	signals       = 64
	sigactionSize = 32
	sigsetSize    = 8
)

// saveSignalHandlers records what every signal does and returns a function that
// puts it back. The library installs handlers of its own while it starts; with
// them in place a recoverable fault of the Go runtime would hang the process.
func saveSignalHandlers() (restore func()) {
	var saved [signals + 1][sigactionSize]byte
	for sig := uintptr(1); sig <= signals; sig++ {
		sigaction(sig, nil, &saved[sig])
	}
	return func() {
		for sig := uintptr(1); sig <= signals; sig++ {
			sigaction(sig, &saved[sig], nil)
		}
	}
}

// sigaction ignores errors: SIGKILL and SIGSTOP cannot be set, and that is fine.
func sigaction(sig uintptr, set, old *[sigactionSize]byte) {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig,
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), sigsetSize, 0, 0)
}
