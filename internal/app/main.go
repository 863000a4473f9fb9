package app

import (
	"context"
	"io"

	"livehost/internal/cli"
	"livehost/internal/embedded/engine"
	"livehost/internal/redisclient"
)

// Main runs one command line and returns the process's exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == engine.ChildCommand {
		return engine.ChildMain(args[1:], stdin, stdout, stderr)
	}
	redisclient.Quiet()
	return cli.Run(args, cli.Actions{
		Demo:            runDemo,
		Serve:           runServe,
		Check:           runCheck,
		DanmakuShow:     runDanmakuShow,
		DanmakuList:     runDanmakuList,
		HarnessValidate: runHarnessValidate,
		HarnessHash:     runHarnessHash,
		HarnessDiff:     runHarnessDiff,
		HarnessNew:      runHarnessNew,
		HarnessDryRun:   runHarnessDryRun,
		TrajectoryShow:  runTrajectoryShow,
		Replay:          runReplay,
		VoiceStop:       runVoiceStop,
		VoiceResume:     runVoiceResume,
		VoiceList:       runVoiceList,
		EngineInstall:   runEngineInstall,
		EvalFilters:     runEvalFilters,
		EvalIntents:     runEvalIntents,
		EvalInjections:  runEvalInjections,
		EvalHostile:     runEvalHostile,
		TopicsApply:     runTopicsApply,
		TopicsCheck:     runTopicsCheck,
		TopicsLag:       runTopicsLag,
		DLQList:         runDLQList,
		DLQShow:         runDLQShow,
		DLQReplay:       runDLQReplay,
		Health:          runHealth,
		Analytics:       analyticsActions(),
	}, cli.IO{Out: stdout, Err: stderr})
}

func runEngineInstall(ctx context.Context, std cli.IO) error {
	dir, err := engine.CacheDir()
	if err != nil {
		return err
	}
	_, err = engine.Install(ctx, dir, std.Out)
	return err
}
