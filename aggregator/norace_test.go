//go:build !race

package aggregator_test

const raced = false
