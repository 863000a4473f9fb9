package engine

import "syscall"

// ownGroup puts the child in its own process group, away from the terminal's signals.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
