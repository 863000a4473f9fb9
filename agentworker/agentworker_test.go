package agentworker_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/agentworker"
	"livehost/agentworker/model"
	"livehost/agentworker/model/modeltest"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/streamstest"
)

var (
	priceCalls = []string{"use_skill", `{"which":"price"}`, "item", `{"number":"1"}`}
	sayPrice   = modeltest.Say("围巾今天89元")
)

func priceScript() *modeltest.Script { return modeltest.New(modeltest.Call(priceCalls...), sayPrice) }

func (r *rig) want(ends string) {
	r.t.Helper()
	if d := cmp.Diff(ends, r.ends()); d != "" {
		r.t.Errorf("log (-want +got):\n%s", d)
	}
}

func acked(t *testing.T, ch <-chan error) {
	t.Helper()
	if err := <-ch; err != nil {
		t.Errorf("acknowledged with %v, want nil", err)
	}
}

func TestAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &streamstest.Log{}, agentworker.NewMemoryClaims(), priceScript())
		acked(t, r.take(r.window("w1", "d1")))
		r.want("reply w1#1 public [d1]\n")
		records := r.log.Records()
		if last := records[len(records)-1]; last.Topic != event.TopicReply {
			t.Errorf("the last record is on %s, want the reply after everything else", last.Topic)
		}
		seq := 0
		for _, rec := range records {
			if rec.Topic != event.TopicTrajectory {
				continue
			}
			st, err := event.Decode[event.Step](rec.Value)
			if err != nil {
				t.Fatal(err)
			}
			if seq++; st.Seq != seq || st.Versions.Release != "full" || st.RunID != "w1#1" {
				t.Errorf("step %d: %+v", seq, st)
			}
		}
		if seq < 6 {
			t.Errorf("%d steps, want claim, two models, two tools, reply and end", seq)
		}
		r.close()
	})
}

func TestRedeliveredAfterReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &streamstest.Log{}
		first := newRig(t, log, agentworker.NewMemoryClaims(), priceScript())
		w := first.window("w1", "d1")
		acked(t, first.take(w))
		first.close()
		script := priceScript()
		second := newRig(t, log, agentworker.NewMemoryClaims(), script) // Redis has forgotten
		acked(t, second.take(w))
		acked(t, second.take(second.window("w2", "d1"))) // the same danmaku in another window
		second.want("reply w1#1 public [d1]\n")
		if n := len(script.Asked()); n != 0 {
			t.Errorf("the policy was asked %d times for what is done", n)
		}
		second.close()
	})
}

func TestKilledInARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &streamstest.Log{}
		dead := newRig(t, log, agentworker.NewMemoryClaims(), modeltest.New(modeltest.Hang()))
		w := dead.window("w1", "d1")
		dead.take(w)
		synctest.Wait() // it is inside its first call, and is never heard of again
		began := time.Now()
		next := newRig(t, log, agentworker.NewMemoryClaims(), priceScript()) // Redis died with it
		acked(t, next.take(w))
		if took := time.Since(began); took > time.Second {
			t.Errorf("the takeover took %v, want no wait", took)
		}
		next.want("reply w1#2 public [d1]\n")
		next.close()
		dead.close()
	})
}

func TestAliveElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, claims := &streamstest.Log{}, agentworker.NewMemoryClaims()
		slow := newRig(t, log, claims, modeltest.New(modeltest.After(2*time.Second, modeltest.Call(priceCalls...)), sayPrice))
		w := slow.window("w1", "d1")
		first := slow.take(w)
		synctest.Wait()
		script := priceScript()
		other := newRig(t, log, claims, script)
		second := other.take(w)
		acked(t, first)
		acked(t, second) // after the lease, and then there is nothing left to do
		other.want("reply w1#1 public [d1]\n")
		if n := len(script.Asked()); n != 0 {
			t.Errorf("the policy was asked %d times for a living attempt's window", n)
		}
		other.close()
		slow.close()
	})
}

func TestTakeoverAfterTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, claims := &streamstest.Log{}, agentworker.NewMemoryClaims()
		lost := agentworker.Claim{RoomID: "room", WindowID: "w1", Keys: []agentworker.ClaimKey{{DanmakuID: "d1", Ask: 1}}, Lease: 12 * time.Second}
		if _, err := claims.Claim(t.Context(), lost); err != nil { // a worker that died, Redis remembers
			t.Fatal(err)
		}
		r := newRig(t, log, claims, priceScript())
		began := time.Now()
		acked(t, r.take(r.window("w1", "d1")))
		if took := time.Since(began); took < 12*time.Second || took > 14*time.Second {
			t.Errorf("took over after %v, want the lease of 12 s", took)
		}
		// 2 s are left: the compact route
		r.want("reply w1#2 public [d1] compact\n")
		r.close()
	})
}

func TestMembersOfAnotherWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &streamstest.Log{}, agentworker.NewMemoryClaims(), modeltest.New(modeltest.After(time.Second, modeltest.Call(priceCalls...)), sayPrice, modeltest.Call(priceCalls...), sayPrice))
		first := r.take(r.window("w1", "d1"))
		synctest.Wait()
		second := r.take(r.window("w2", "d1", "d2"))
		third := r.take(r.window("w3", "d1"))
		acked(t, third)
		acked(t, first)
		acked(t, second)
		r.want("reply w2#1 public [d2]\nreply w1#1 public [d1]\n")
		r.close()
	})
}

func TestNotCoveredMayComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &streamstest.Log{}
		r := newRig(t, log, agentworker.NewMemoryClaims(), modeltest.New(
			modeltest.Call(priceCalls...), modeltest.Call("respond", `{"say":"1号89元","ids":["d1"]}`), modeltest.Call(priceCalls...), sayPrice))
		acked(t, r.take(r.window("w1", "d1", "d2")))
		acked(t, r.take(r.window("w2", "d2")))
		r.want("reply w1#1 public [d1] not covered [d2]\nreply w2#1 public [d2]\n")
		r.close()
	})
}

func TestSilentThenReplyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &streamstest.Log{}, agentworker.NewMemoryClaims(), modeltest.New(
			modeltest.Call(priceCalls...), modeltest.Call("respond", `{"say":"1号89元","ids":["d1"]}`, "hush", `{"why":"noise"}`)))
		acked(t, r.take(r.window("w1", "d1", "d2")))
		r.want("d2 silent noise w1#1\nreply w1#1 public [d1]\n")
		r.close()
	})
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		age   time.Duration // of the danmaku when the window arrives
		model *modeltest.Script
		want  string
		most  time.Duration
		asked int
	}{
		{"too late", 14 * time.Second, priceScript(), "d1 expired deadline w1#1\n", 0, 0},
		{"time for the compact route", 12 * time.Second, priceScript(), "reply w1#1 public [d1] compact\n", 0, 2},
		{"a policy that hangs", 0, modeltest.New(modeltest.Hang()), "reply w1#1 public [d1] conservative\n", 7 * time.Second, 3},
		{"hangs with little time", 8 * time.Second, modeltest.New(modeltest.Hang()), "reply w1#1 public [d1] conservative\n", 6 * time.Second, 3},
		{"every call slow", 0, modeltest.New(modeltest.After(1900*time.Millisecond, modeltest.Call("item", `{"number":"1"}`))), "reply w1#1 public [d1] conservative\n", 7600 * time.Millisecond, 4},
		{"refused", 0, modeltest.New(modeltest.Fail(model.Rejected)), "reply w1#1 public [d1] conservative\n", 0, 2},
		{"one replica broken", 0, modeltest.New(modeltest.Fail(model.Cut), modeltest.Call(priceCalls...), sayPrice), "reply w1#1 public [d1]\n", 0, 3},
		{"both broken", 0, modeltest.New(modeltest.Fail(model.Unreachable), modeltest.Fail(model.Cut), modeltest.Call(priceCalls...), sayPrice), "reply w1#1 public [d1] compact\n", 0, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &streamstest.Log{}, agentworker.NewMemoryClaims(), tt.model)
				w := r.window("w1", "d1")
				w.AnswerByMs -= tt.age.Milliseconds()
				w.Members[0].AnswerByMs = w.AnswerByMs
				began := time.Now()
				acked(t, r.take(w))
				if took := time.Since(began); took > tt.most+10*time.Millisecond {
					t.Errorf("took %v, want at most %v", took, tt.most)
				}
				r.want(tt.want)
				if n := len(tt.model.Asked()); n != tt.asked {
					t.Errorf("the policy was asked %d times, want %d", n, tt.asked)
				}
				r.close()
			})
		})
	}
}

func TestOneMemberLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &streamstest.Log{}, agentworker.NewMemoryClaims(), priceScript())
		w := r.window("w1", "d1", "d2")
		w.Members[0].AnswerByMs = r.clock.NowMs() + 1_500
		acked(t, r.take(w))
		r.want("d1 expired deadline w1#1\nreply w1#1 public [d2]\n")
		r.close()
	})
}

func TestNoRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &streamstest.Log{}, agentworker.NewMemoryClaims(), priceScript())
		w := r.window("w1", "d1")
		w.Variant = "unknown"
		acked(t, r.take(w))
		r.want("d1 failed no_release w1#1\n")
		r.close()
	})
}

func TestClaimsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &streamstest.Log{}, brokenClaims{}, priceScript())
		w := r.window("w1", "d1")
		acked(t, r.take(w))
		acked(t, r.take(r.window("w2", "d1")))
		r.want("reply w1#1 public [d1]\n")
		r.close()
	})
}

func TestLostClaimPublishesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, claims := &streamstest.Log{}, agentworker.NewMemoryClaims()
		r := newRig(t, log, claims, modeltest.New(modeltest.After(2*time.Second, modeltest.Call(priceCalls...)), sayPrice))
		ch := r.take(r.window("w1", "d1"))
		synctest.Wait()
		stolen := agentworker.Claim{RoomID: "room", WindowID: "w1", Keys: []agentworker.ClaimKey{{DanmakuID: "d1", Ask: 1}}, Lease: time.Minute}
		if err := claims.Mark(t.Context(), stolen, 2, agentworker.MarkAttempt); err != nil {
			t.Fatal(err)
		}
		acked(t, ch)
		r.want("")
		r.close()
	})
}

func TestPublishFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := fault.Errorf(fault.Unavailable, "the log is away")
		broken := true
		log := &streamstest.Log{Fail: func([]event.Event) error {
			if broken {
				return down
			}
			return nil
		}}
		r := newRig(t, log, agentworker.NewMemoryClaims(), modeltest.New(modeltest.Call(priceCalls...), sayPrice, modeltest.Call(priceCalls...), sayPrice))
		w := r.window("w1", "d1")
		if err := <-r.take(w); !errors.Is(err, down) || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("acknowledged with %v, want the publisher's error", err)
		}
		broken = false
		began := time.Now()
		acked(t, r.take(w)) // the lease was given up
		if took := time.Since(began); took > time.Second {
			t.Errorf("the second try waited %v", took)
		}
		r.want("reply w1#2 public [d1]\n")
		r.close()
	})
}

// What a run decided before the log refused the rest of it stays decided: the next attempt
// answers the others.
func TestRefusedInPart(t *testing.T) {
	for _, tt := range []struct{ name, refused, want string }{
		{"the reply", event.TopicReply, "d2 silent greeting w1#1\nreply w1#2 public [d1]\n"},
		{"the steps", event.TopicTrajectory, "reply w1#2 public [d1 d2]\n"}, // then nothing was decided
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				down := fault.Errorf(fault.Unavailable, "the log is away")
				refuse := true
				log := &streamstest.Log{Fail: func(events []event.Event) error {
					if refuse && events[0].Topic() == tt.refused {
						refuse = false
						return down
					}
					return nil
				}}
				r := newRig(t, log, agentworker.NewMemoryClaims(), modeltest.New(
					modeltest.Call(priceCalls...), modeltest.Call("respond", `{"say":"围巾今天89元","ids":["d1"]}`, "hush", `{"why":"greeting","who":"d2"}`),
					modeltest.Call(priceCalls...), sayPrice))
				w := r.window("w1", "d1", "d2")
				if err := <-r.take(w); !errors.Is(err, down) {
					t.Errorf("acknowledged with %v, want the publisher's error", err)
				}
				acked(t, r.take(w))
				r.want(tt.want)
				r.close()
			})
		})
	}
}

func TestUndecodable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &streamstest.Log{}, agentworker.NewMemoryClaims(), priceScript())
		got := make(chan error, 1)
		r.agent.Handle(t.Context(), streams.Record{Topic: event.TopicWindow, Value: []byte(`{"schema":1}`)}, func(err error) { got <- err })
		if err := <-got; err == nil || fault.KindOf(err) != fault.Invalid {
			t.Errorf("acknowledged with %v, want invalid", err)
		}
		r.close()
	})
}

func TestStopDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &streamstest.Log{}, agentworker.NewMemoryClaims(), modeltest.New(modeltest.After(time.Second, modeltest.Call("hush", `{"why":"noise"}`))))
		var running []<-chan error
		for _, id := range []string{"a", "b"} {
			running = append(running, r.take(r.window("w-"+id, id)))
		}
		synctest.Wait()
		waiting := r.take(r.window("w-c", "c")) // the room has two runs already
		synctest.Wait()
		r.close()
		for _, ch := range running {
			acked(t, ch)
		}
		if err := <-waiting; err == nil || fault.KindOf(err) != fault.Canceled {
			t.Errorf("the waiting window was acknowledged with %v, want canceled", err)
		}
		if err := <-r.take(r.window("w-d", "d")); err == nil {
			t.Error("a window was taken after the stop")
		}
	})
}

func TestRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &streamstest.Log{}, agentworker.NewMemoryClaims(), modeltest.New(modeltest.After(time.Second, modeltest.Call("hush", `{"why":"noise"}`))))
		running := r.take(r.window("w-a", "a"))
		synctest.Wait()
		for p := range int32(streamstest.Partitions) {
			r.agent.Revoked(t.Context(), p)
		}
		acked(t, running)
		r.want("a silent noise w-a#1\n")
		r.close()
	})
}

func TestRevokedWithoutTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, claims := &streamstest.Log{}, agentworker.NewMemoryClaims()
		r := newRig(t, log, claims, modeltest.New(modeltest.Hang()))
		w := r.window("w1", "d1")
		running := r.take(w)
		synctest.Wait()
		ctx, cancel := r.clock.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		for p := range int32(streamstest.Partitions) {
			r.agent.Revoked(ctx, p)
		}
		if err := <-running; err == nil || fault.KindOf(err) != fault.Canceled {
			t.Errorf("acknowledged with %v, want canceled", err)
		}
		next := newRig(t, log, claims, priceScript())
		acked(t, next.take(w)) // without waiting for a lease
		next.want("reply w1#2 public [d1]\n")
		next.close()
		r.close()
	})
}

func TestEventWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &streamstest.Log{}
		r := newRig(t, log, agentworker.NewMemoryClaims(), modeltest.New(modeltest.Say("谢谢小雨送的10朵玫瑰")))
		w := r.window("w1")
		w.Kind, w.Class, w.Mode = event.EventWindow, event.ClassEvent, event.Single
		w.Event = &event.RoomEvent{Schema: 1, EventID: "e1", RoomID: "room", Kind: event.Gift, ViewerName: "小雨", GiftName: "玫瑰", Count: 10, TimeMs: w.EarliestMs}
		acked(t, r.take(w))
		r.want("reply w1#1 public []\n")
		again := newRig(t, log, agentworker.NewMemoryClaims(), priceScript())
		acked(t, again.take(w))
		again.want("reply w1#1 public []\n")
		again.close()
		r.close()
	})
}
