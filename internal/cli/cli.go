package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// IO is where a command writes.
type IO struct {
	Out io.Writer // results
	Err io.Writer // everything else
}

// DemoOptions are the flags of demo; a zero value leaves the choice to the room.
type DemoOptions struct {
	Room           string        // recording (JSON Lines) or room script; "": our own evening
	Config         string        // YAML file; "": defaults
	Catalog        string        // catalogue in the harness/catalog schema
	Focus          string        // JSON Lines of {ts_ms, link_id}
	Speed          float64       // room seconds per wall second
	From           time.Duration // where in the room to begin
	For            time.Duration // how much of it to play
	Busiest        time.Duration // play the busiest stretch of this length instead of From and For
	Profile        string        // latency profile of the scripted policy
	JSON           bool          // one JSON object on stdout, nothing else
	Strict         bool          // fail when an expectation of the room script does
	Keep           bool          // keep the data directory
	Data           string        // data directory; an existing one is gone on with
	ClickHousePort int           // loopback port of the embedded ClickHouse; 0: none
	Profiling      string        // write a CPU profile of the run here

	Console    int  // port of the console on this machine; 0: a free one
	NoConsole  bool // no console
	Restricted bool // the console shows reasoning and raw policy output
	Stay       bool // keep the console up after the end, until Ctrl-C
}

// ServeOptions are the flags of serve and check.
type ServeOptions struct {
	Config   string
	Targets  []string
	Embedded bool
	Data     string
}

// ShowOptions are the flags of danmaku show.
type ShowOptions struct {
	Config string
	Data   string // an embedded data directory instead of a configuration
	ID     string
	JSON   bool
}

// Actions is what the commands do. Each returns nil when what was asked for was done.
type Actions struct {
	Demo            func(context.Context, DemoOptions, IO) error
	Serve           func(context.Context, ServeOptions, IO) error
	Check           func(context.Context, ServeOptions, IO) error
	DanmakuShow     func(context.Context, ShowOptions, IO) error
	DanmakuList     func(context.Context, ShowOptions, IO) error
	HarnessValidate func(ctx context.Context, dir string, io IO) error
	HarnessHash     func(ctx context.Context, dir string, io IO) error
	HarnessDiff     func(ctx context.Context, dir, other string, io IO) error
	HarnessNew      func(ctx context.Context, dir, kind, name string, io IO) error
	HarnessDryRun   func(context.Context, DryRunOptions, IO) error
	TrajectoryShow  func(context.Context, TrajectoryOptions, IO) error
	Replay          func(context.Context, ReplayOptions, IO) error
	VoiceStop       func(context.Context, VoiceOptions, IO) error
	VoiceResume     func(context.Context, VoiceOptions, IO) error
	VoiceList       func(context.Context, VoiceOptions, IO) error
	EngineInstall   func(context.Context, IO) error
	EvalFilters     func(context.Context, EvalFiltersOptions, IO) error
	EvalIntents     func(context.Context, EvalIntentsOptions, IO) error
	EvalInjections  func(context.Context, InjectionsOptions, IO) error
	EvalHostile     func(context.Context, HostileOptions, IO) error
	TopicsApply     func(context.Context, TopicsOptions, IO) error
	TopicsCheck     func(context.Context, TopicsOptions, IO) error
	TopicsLag       func(context.Context, TopicsOptions, IO) error
	DLQList         func(context.Context, DLQOptions, IO) error
	DLQShow         func(context.Context, DLQOptions, IO) error
	DLQReplay       func(context.Context, DLQOptions, IO) error
	Health          func(ctx context.Context, url string, io IO) error
	Analytics       AnalyticsActions
}

// ErrReported is returned by an action that has already said what is wrong.
var ErrReported = errors.New("reported")

// Run executes one command line and returns the exit code. SIGINT, SIGTERM and the
// end of the terminal end the command's context; a second one ends the process.
func Run(args []string, actions Actions, io IO) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal is the default again
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE) // a reader that went away is an error of Write, not the end without cleaning up
	defer signal.Stop(pipe)
	root := commands(actions, io)
	root.SetArgs(args)
	root.SetOut(io.Out)
	root.SetErr(io.Err)
	err := root.ExecuteContext(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrReported), readerGone(err):
		return 1
	case errors.As(err, &usage):
		printError(io.Err, err)
		fmt.Fprintln(io.Err, "See `livehost --help`.")
		return 2
	default:
		printError(io.Err, err)
		return 1
	}
}

// endings are the signals that end a command. Under nohup SIGHUP stays ignored.
func endings() []os.Signal {
	all := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// readerGone tells a standard output that is read no more, as by `| head -1`: what
// was wanted has been read, and there is nobody to complain to.
func readerGone(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Path == os.Stdout.Name() && errors.Is(at, syscall.EPIPE)
}

// printError prints each problem on a line of its own.
func printError(w io.Writer, err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(w, "livehost: %s\n", strings.TrimRight(line, "\n"))
	}
}

func commands(a Actions, io IO) *cobra.Command {
	root := &cobra.Command{
		Use:           "livehost",
		Short:         "An AI host answers live-commerce rooms, aloud and in private text, and proves what it did",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(demo(a, io), serve(a, io), check(a, io), danmaku(a, io), trajectory(a, io), replay(a, io), harness(a, io), voice(a, io), engine(a, io), topics(a, io), dlq(a, io), health(a, io), eval(a, io))
	root.AddCommand(analytics(a.Analytics, io)...)
	refuseMisuse(root)
	return root
}

func demo(a Actions, io IO) *cobra.Command {
	var o DemoOptions
	c := &cobra.Command{
		Use:   "demo",
		Short: "Play a room with everything embedded: no servers, no keys, a scripted policy",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(o.validate(), func() error { return a.Demo(c.Context(), o, io) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.Room, "room", "", "recording (JSON Lines) or room script (*.room.txtar) to play instead of our own evening")
	f.StringVar(&o.Config, "config", "", "YAML file (see docs/config.md): a policy named there answers instead of the scripted one, content named there replaces ours")
	f.StringVar(&o.Catalog, "catalog", "", "catalogue to sell from (JSON, see docs/harness.md)")
	f.StringVar(&o.Focus, "focus", "", "which link the host shows when: JSON Lines of {ts_ms, link_id}")
	f.Float64Var(&o.Speed, "speed", 0, "room seconds per second (the room proposes one; recordings: 20)")
	f.DurationVar(&o.From, "from", 0, "where in a recording to begin")
	f.DurationVar(&o.For, "for", 0, "how much of it to play (0: to the end)")
	f.DurationVar(&o.Busiest, "busiest", 0, "play the busiest stretch of this length of a recording, e.g. 10m")
	f.StringVar(&o.Profile, "profile", "", "latency of the scripted policy: h20-mtp, h20 or instant")
	f.BoolVar(&o.JSON, "json", false, "print the summary as one JSON object, and nothing else")
	f.BoolVar(&o.Strict, "strict", false, "exit with 1 when an expectation of the room script fails")
	f.BoolVar(&o.Keep, "keep", false, "keep the data directory and say where it is")
	f.IntVar(&o.ClickHousePort, "clickhouse-port", 0, "loopback port of the embedded ClickHouse for your own tools (HTTP; 0: none)")
	f.StringVar(&o.Profiling, "cpuprofile", "", "write a CPU profile of the run to this file")
	f.IntVar(&o.Console, "console", 0, "port of the console on this machine (0: a free one)")
	f.BoolVar(&o.NoConsole, "no-console", false, "start no console")
	f.BoolVar(&o.Restricted, "restricted", false, "let the console show reasoning and raw policy output")
	f.BoolVar(&o.Stay, "stay", false, "keep the console up after the end, until Ctrl-C")
	f.StringVar(&o.Data, "data", "", "data directory; what an earlier run left there is gone on with (implies --keep)")
	return c
}

func serveFlags(c *cobra.Command, o *ServeOptions) {
	f := c.Flags()
	f.StringVar(&o.Config, "config", "", "YAML file (see docs/config.md); LIVEHOST_* variables go over it")
	f.StringSliceVar(&o.Targets, "target", []string{"all"}, "what to run: aggregator, agentworker, dispatcher, or all of them; analytics: the log to ClickHouse; web: the console; or policy, commerce: the scripted policy and the reference commerce server as services")
	f.BoolVar(&o.Embedded, "embedded", false, "start Kafka, Redis, the commerce server and, unless the configuration names another, the scripted policy in this process")
	f.StringVar(&o.Data, "data", "", "data directory of the embedded servers; \"\": livehost/data in the user's cache folder")
}

func serve(a Actions, io IO) *cobra.Command {
	var o ServeOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run stages until told to stop",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return a.Serve(c.Context(), o, io) },
	}
	serveFlags(c, &o)
	return c
}

func check(a Actions, io IO) *cobra.Command {
	var o ServeOptions
	c := &cobra.Command{
		Use:   "check",
		Short: "List every problem of a configuration and of the harness it names, and exit",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return a.Check(c.Context(), o, io) },
	}
	serveFlags(c, &o)
	return c
}

func danmaku(a Actions, io IO) *cobra.Command {
	var o ShowOptions
	show := &cobra.Command{
		Use:   "show ID",
		Short: "The whole way of one danmaku, read from the log: why it was or was not answered",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.ID = args[0]
			return a.DanmakuShow(c.Context(), o, io)
		},
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "Every danmaku of a log, one line each: what became of it and what its viewer heard",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return a.DanmakuList(c.Context(), o, io) },
	}
	c := &cobra.Command{Use: "danmaku", Short: "Look at danmaku"}
	f := c.PersistentFlags()
	f.StringVar(&o.Config, "config", "", "YAML file with the Kafka to read from")
	f.StringVar(&o.Data, "data", "", "data directory of an embedded run that has ended")
	f.BoolVar(&o.JSON, "json", false, "print JSON")
	c.AddCommand(show, list)
	return c
}

func harness(a Actions, io IO) *cobra.Command {
	var dir string
	c := &cobra.Command{Use: "harness", Short: "Look at skills, prompts, hooks, tools and releases"}
	c.PersistentFlags().StringVar(&dir, "dir", "", "harness folder; \"\": the one that ships with the binary")
	c.AddCommand(
		&cobra.Command{
			Use: "validate", Short: "List every problem with file and line", Args: noArgs,
			RunE: func(c *cobra.Command, _ []string) error { return a.HarnessValidate(c.Context(), dir, io) },
		},
		&cobra.Command{
			Use: "hash", Short: "Print each release's content hash", Args: noArgs,
			RunE: func(c *cobra.Command, _ []string) error { return a.HarnessHash(c.Context(), dir, io) },
		},
	)
	c.AddCommand(harnessMore(a, &dir, io)...)
	return c
}

func engine(a Actions, io IO) *cobra.Command {
	c := &cobra.Command{Use: "engine", Short: "The embedded ClickHouse engine"}
	c.AddCommand(&cobra.Command{
		Use: "install", Short: "Fetch the pinned engine library through npm (178 MB, once)", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.EngineInstall(c.Context(), io) },
	})
	return c
}
