// Package harness loads and checks the harness: skills, prompt blocks, hooks,
// tools, catalogues, FAQ and merchant overlays, and the releases that bind them.
// docs/harness.md is the contract of the formats.
//
// It owns the formats and their validation, the resolution of a release and its
// content hash, and retrieval over a release's FAQ. It does not run anything: the
// agent worker calls tools, evaluates hooks and builds prompts.
//
// Invariants: a Harness and its releases are immutable after Load and safe for
// concurrent use; Load reports every problem with file and line, and returns no
// harness when there is one; equal bound bytes give equal hashes on every machine.
package harness
