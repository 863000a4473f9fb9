package kafka_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
)

// memberSpec, in the environment, makes the test binary a member of faultGroup in
// a process of its own: one that signals can end, stop and continue.
const memberSpec = "KAFKA_TEST_MEMBER"

// memberOf is what such a process is told. It says the offset of each record it
// gets, one a line.
type memberOf struct {
	Brokers  []string
	Instance string
	Holds    []int64 // offsets whose work ends with the process only
	HoldsAll bool
	Answers  bool // once its input has ended it publishes an outcome of what it holds, and says published
}

// published is what a member that answers says instead of an offset.
const published = -1

// member runs until SIGTERM, which it drains at.
func member(spec string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := runMember(ctx, spec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runMember(ctx context.Context, spec string) error {
	var m memberOf
	if err := json.Unmarshal([]byte(spec), &m); err != nil {
		return err
	}
	cfg := m.config()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	pub, err := kafka.NewPublisher(cfg, log)
	if err != nil {
		return err
	}
	defer pub.Close()
	h := func(ctx context.Context, r streams.Record, ack streams.Ack) {
		if m.HoldsAll || slices.Contains(m.Holds, r.Offset) {
			go func() {
				if m.Answers {
					_, _ = io.Copy(io.Discard, os.Stdin)
					o := event.Outcome{Schema: 1, DanmakuID: "late", RoomID: faultRoom, State: event.Expired, Reason: "late", By: "child", PlatformMs: 1, TimeMs: 1}
					fmt.Fprintln(os.Stderr, "the outcome is published:", pub.Publish(context.WithoutCancel(ctx), o))
					fmt.Println(published)
				}
				<-ctx.Done()
				ack(fmt.Errorf("long work: %w", ctx.Err()))
			}()
		} else {
			ack(nil)
		}
		fmt.Println(r.Offset)
	}
	c, err := kafka.NewConsumer(cfg, streams.Binding{
		Group: faultGroup, Topics: []string{event.TopicDanmaku}, Handler: handlerFunc(h),
	}, pub, log)
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

func (m memberOf) config() kafka.Config {
	cfg := testConfig(m.Brokers)
	cfg.InstanceID, cfg.SessionTimeout = m.Instance, 6*time.Second
	return cfg
}

// spawn starts a member process and gives the offsets it gets, and what ends its input.
func (f faulty) spawn(m memberOf) (cmd *exec.Cmd, offsets chan int64, answer func()) {
	f.Helper()
	exe, err := os.Executable()
	if err != nil {
		f.Fatal(err)
	}
	m.Brokers = f.cfg.Brokers
	spec, err := json.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	cmd = exec.Command(exe)
	cmd.Env = append(os.Environ(), memberSpec+"="+string(spec))
	cmd.Stderr = f.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	offsets = make(chan int64, 100)
	go func() {
		defer close(offsets)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var offset int64
			if _, err := fmt.Sscan(lines.Text(), &offset); err == nil {
				offsets <- offset
			}
		}
	}()
	f.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		for range offsets {
		}
		_ = cmd.Wait()
	})
	return cmd, offsets, func() { _ = in.Close() }
}

// got waits for n offsets of a member.
func (f faulty) got(offsets <-chan int64, n int) {
	f.Helper()
	deadline := time.After(testkit.Patience)
	for range n {
		select {
		case _, ok := <-offsets:
			if !ok {
				f.Fatal("the member ended")
			}
		case <-deadline:
			f.Fatalf("the member did not get %d records in time", n)
		}
	}
}

// successor joins a member that takes the instance over and acknowledges all, and
// gives the offsets it got.
func (f faulty) successor(instance string) func() []int64 {
	f.Helper()
	var mu sync.Mutex
	var seen []int64
	f.consume(memberOf{Brokers: f.cfg.Brokers, Instance: instance}.config(), func(_ context.Context, r streams.Record, ack streams.Ack) {
		mu.Lock()
		seen = append(seen, r.Offset)
		mu.Unlock()
		ack(nil)
	})
	return func() []int64 { mu.Lock(); defer mu.Unlock(); return slices.Clone(seen) }
}

func upTo(n int64) (out []int64) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

func (f faulty) signal(cmd *exec.Cmd, sig os.Signal) {
	f.Helper()
	if err := cmd.Process.Signal(sig); err != nil {
		f.Fatal(err)
	}
}

// Case 3: a member finishes the second and the third record before the first and is
// killed: the first comes again.
func TestStreamingCase03KilledAfterFinishingOutOfOrder(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.publish(3)
	cmd, offsets, _ := f.spawn(memberOf{Instance: "one", Holds: []int64{0}})
	f.got(offsets, 3)
	<-time.After(10 * f.cfg.CommitInterval) // time for a wrong commit
	f.signal(cmd, syscall.SIGKILL)
	if got := f.committed(); got > 0 {
		t.Errorf("committed %d although the first record was not finished", got)
	}
	seen := f.successor("one")
	f.eventually("the rest is committed", func() bool { return f.committed() == 3 })
	if d := cmp.Diff(upTo(3), seen()); d != "" {
		t.Errorf("the next member gets (-want +got):\n%s", d)
	}
}

// Case 27: a member is killed before the group's first commit: the next one begins
// at the earliest record, what came meanwhile included.
func TestStreamingCase27KilledBeforeTheFirstCommit(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.publish(20)
	cmd, offsets, _ := f.spawn(memberOf{Instance: "one", HoldsAll: true})
	f.got(offsets, 20)
	f.signal(cmd, syscall.SIGKILL)
	f.publish(10)
	seen := f.successor("one")
	f.eventually("all is committed", func() bool { return f.committed() == 30 })
	if d := cmp.Diff(upTo(30), seen()); d != "" {
		t.Errorf("the next member gets (-want +got):\n%s", d)
	}
}

// Case 22: SIGTERM in the middle of an item ends the process well, and the item is
// neither finished nor a dead letter.
func TestStreamingCase22SIGTERMMidItem(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.publish(3)
	cmd, offsets, _ := f.spawn(memberOf{Instance: "one", Holds: []int64{1}})
	f.got(offsets, 3)
	f.signal(cmd, syscall.SIGTERM)
	for range offsets { // until it has ended
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("after SIGTERM: %v", err)
	}
	if got := f.committed(); got != 1 {
		t.Errorf("committed %d, want 1: what was finished before the item", got)
	}
	if letters := f.deadLetters(); len(letters) > 0 {
		t.Errorf("dead letters %v", letters)
	}
	seen := f.successor("one")
	f.eventually("all is committed", func() bool { return f.committed() == 3 })
	if d := cmp.Diff([]int64{1, 2}, seen()); d != "" {
		t.Errorf("the next member gets (-want +got):\n%s", d)
	}
}

// Case 34: a member is stopped for longer than its session and goes on when another
// one has its work: what it finishes then does not count, and no commit goes back.
func TestStreamingCase34StoppedBeyondItsSession(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.publish(3)
	cmd, offsets, _ := f.spawn(memberOf{Holds: []int64{0}})
	f.got(offsets, 3)
	f.signal(cmd, syscall.SIGSTOP)
	seen := f.successor("")
	f.eventually("the other member has all", func() bool { return f.committed() == 3 })
	if d := cmp.Diff(upTo(3), seen()); d != "" {
		t.Errorf("the other member gets (-want +got):\n%s", d)
	}
	f.signal(cmd, syscall.SIGCONT)
	last := int64(3)
	for range 20 { // while it comes to itself and joins again
		f.publish(1)
		<-time.After(100 * time.Millisecond)
		got := f.committed()
		if got < last {
			t.Fatalf("committed %d after %d", got, last)
		}
		last = got
	}
	f.eventually("all is committed", func() bool { return f.committed() == 23 })
	if letters := f.deadLetters(); len(letters) > 0 {
		t.Errorf("dead letters %v", letters)
	}
}

// Case 34: a member that was stopped beyond its session, and had something to say
// when it went on, writes nothing about what is another member's by now. While it is
// a member it does, and asks whether it is when the group has not told it lately.
func TestStreamingCase34StoppedMemberWritesNothing(t *testing.T) {
	t.Parallel()
	for name, stopped := range map[string]bool{"stopped": true, "not stopped": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t)
			f.publish(1)
			cmd, offsets, answer := f.spawn(memberOf{Holds: []int64{0}, Answers: true})
			f.got(offsets, 1)
			if stopped {
				f.signal(cmd, syscall.SIGSTOP)
				f.successor("")
				f.eventually("the other member has it", func() bool { return f.committed() == 1 })
				answer()
				f.signal(cmd, syscall.SIGCONT)
			} else {
				<-time.After(2 * time.Second) // of a session of 6 s: now it must ask
				answer()
			}
			f.got(offsets, 1) // it has published, or was refused
			if n := f.outcomes(); (n == 0) != stopped {
				t.Errorf("%d outcomes of a member that was %s", n, name)
			}
		})
	}
}

func (f faulty) outcomes() (n int) {
	f.Helper()
	_, err := f.sys.Reader.Read(f.Context(), event.TopicOutcome, faultPartition(), 0, func(streams.Record) error { n++; return nil })
	if err != nil {
		f.Fatal(err)
	}
	return n
}
