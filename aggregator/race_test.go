//go:build race

package aggregator_test

// raced: the race detector takes several times the memory.
const raced = true
