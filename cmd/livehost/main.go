// Command livehost answers live-commerce rooms; see `livehost --help`.
package main

import (
	"os"

	"livehost/internal/app"
)

func main() {
	os.Exit(app.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
