// Package benchfile writes bench.json, the figures that `make bench` measures.
//
// It owns the file's place (the checkout's root) and that areas can write their
// keys one after another or at once. It knows no figure.
//
// Invariants: a key is replaced as a whole, the others stay; the file is always
// complete JSON.
package benchfile
