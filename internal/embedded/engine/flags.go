package engine

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
)

// ChildMain is ChildCommand: it parses args and serves. It returns the process's
// exit code.
func ChildMain(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var cfg ChildConfig
	fs := flag.NewFlagSet(ChildCommand, flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&cfg.Library, "library", "", "path of the engine library")
	fs.StringVar(&cfg.DataDir, "datadir", "", "the engine's files")
	fs.StringVar(&cfg.Socket, "socket", "", "unix socket to serve on")
	fs.IntVar(&cfg.Port, "port", 0, "loopback port to serve on too")
	fs.Int64Var(&cfg.MemoryBytes, "memorybytes", 1<<30, "the engine's memory limit")
	fs.IntVar(&cfg.Connections, "connections", 4, "statements at once")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if err := Serve(cfg, stdin, stdout, log); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}
