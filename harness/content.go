package harness

import "embed"

// content is the harness that ships with the binary.
//
//go:embed catalog faq hooks overlays prompts releases skills tools
var content embed.FS

// Default loads the harness that ships with the binary.
func Default() (*Harness, error) { return Load(content) }
