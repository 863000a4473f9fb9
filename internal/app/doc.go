// Package app is the composition root: the only package that knows everything.
//
// It owns the configuration tree, which stages a target has, how they are wired
// by fx, the embedded servers, and what each command does. Business is elsewhere.
//
// Invariants: stages are listed downstream first and consumers last, so that
// intake stops first and everything drains; embedded servers start before and
// stop after everything; configuration is validated whole before anything starts.
package app
