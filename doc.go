// Package livehost is the root of the module: it holds only arch_test.go, whose
// tables are the dependency rules. The binary is cmd/livehost.
package livehost
