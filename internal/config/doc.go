// Package config reads configuration: defaults in code, then a YAML file, then
// the environment.
//
// It owns the reading and the Secret type. What there is to configure is said by
// the Config structs beside the code that reads them; internal/app puts them together.
//
// Invariants: an unknown key is an error that names its path; every problem is
// reported, not the first; a Secret never prints itself.
package config
