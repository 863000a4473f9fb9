// Package harnesstest is a small complete harness for tests: one release of each
// sort, two skills, an overlay. It owns nothing that runs.
package harnesstest
