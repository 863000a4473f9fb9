package kafkaserver_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"livehost/internal/embedded/kafkaserver"
	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// childDir, in the environment, makes the test binary the process to be killed.
const childDir = "KAFKASERVER_TEST_CHILD_DIR"

const killRoom event.RoomID = "room"

// child runs a broker, a publisher that prints what was acknowledged, and a
// consumer that prints when it has got its first record, until it is killed.
func child(dir string) {
	check := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	cfg := kafkaserver.DefaultConfig()
	cfg.DataDir = dir
	begin := time.Now()
	srv, err := kafkaserver.Start(cfg, log)
	check(err)
	kcfg := kafkaConfig(srv)
	ctx := context.Background()
	_, err = kafka.Provision(ctx, kcfg, topic.All(topic.DefaultPartitions))
	check(err)
	pub, err := kafka.NewPublisher(kcfg, log)
	check(err)
	con, err := kafka.NewConsumer(kcfg, streams.Binding{
		Group: "g", Topics: []string{event.TopicDanmaku}, Handler: &firstRecord{begin: begin},
	}, pub, log)
	check(err)
	go func() { check(con.Run(ctx)) }()
	first, err := strconv.Atoi(os.Getenv(childDir + "_FIRST"))
	check(err)
	for i := first; ; i++ {
		check(pub.Publish(ctx, danmaku(killRoom, i)))
		fmt.Println("acked", i)
	}
}

type firstRecord struct {
	begin time.Time
	got   atomic.Bool
}

func (f *firstRecord) Handle(_ context.Context, _ streams.Record, ack streams.Ack) {
	if !f.got.Swap(true) {
		fmt.Println("consuming", time.Since(f.begin).Milliseconds())
	}
	ack(nil)
}

// runAndKill lets a child acknowledge at least n records from first, kills it
// with SIGKILL and returns the last acknowledged one, and after how many
// milliseconds its consumer had its first record.
func runAndKill(t *testing.T, dir string, first, n int) (last, consumingMs int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childDir+"="+dir, childDir+"_FIRST="+strconv.Itoa(first))
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last, consumingMs = first-1, -1
	killed := false
	for lines := bufio.NewScanner(out); lines.Scan(); { // goes on to the end of what it had printed
		word, rest, _ := strings.Cut(lines.Text(), " ")
		value, _ := strconv.Atoi(rest)
		switch word {
		case "acked":
			last = value
		case "consuming":
			consumingMs = value
		default:
			t.Errorf("child: %s", lines.Text())
		}
		if !killed && last >= first+n && consumingMs >= 0 {
			killed = true
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	return last, consumingMs
}

func TestKill9KeepsEveryAcknowledgedRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var acked []int
	for round := range 4 {
		// Far from the former rounds' ids: one more than was acknowledged may be in the log.
		first := 100_000 * round
		last, consumingMs := runAndKill(t, dir, first, 200+137*round)
		if int64(consumingMs) > testkit.Patience.Milliseconds() {
			t.Errorf("round %d: the consumer waited %d ms for its partitions after kill -9", round, consumingMs)
		}
		for id := first; id <= last; id++ {
			acked = append(acked, id)
		}
		if round == 0 {
			continue // kill after kill, without a clean close between
		}
		srv := start(t, dir)
		got := map[int]int{}
		for _, id := range ids(t, kafkaConfig(srv), killRoom) {
			got[id]++
		}
		srv.Close() // leaves a snapshot, stale in the next round
		for _, id := range acked {
			if got[id] != 1 {
				t.Fatalf("round %d: acknowledged record %d is %d times in the log of %d", round, id, got[id], len(got))
			}
		}
		t.Logf("round %d: %d records, consuming after %d ms", round, len(got), consumingMs)
	}
}
