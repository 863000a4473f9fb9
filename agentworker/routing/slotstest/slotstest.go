package slotstest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"livehost/agentworker/routing"
	"livehost/internal/testkit"
)

// Run holds an implementation to the contract. Replicas are named after the test,
// so that a real server may be shared. forget makes the store lose everything; nil:
// it cannot.
func Run(t *testing.T, s routing.Slots, forget func()) {
	t.Helper()
	stamp := time.Now().UnixNano()
	for name, test := range map[string]func(suite){
		"never more than the slots":            suite.bounded,
		"a slot given back is free":            suite.givenBack,
		"a lease ends":                         suite.leaseEnds,
		"the earliest deadline first":          suite.earliestFirst,
		"who stopped asking is not waited for": suite.impatient,
		"the least used replica":               suite.leastUsed,
		"the avoided one last":                 suite.avoids,
		"a waiter for another replica":         suite.otherQueues,
		"a late ask brings no lease back":      suite.lateAsk,
		"fewer slots than are used":            suite.shrunk,
		"one winner of many":                   suite.oneWinner,
		"an ask that arrives twice":            suite.twice,
	} {
		t.Run(name, func(t *testing.T) { test(suite{t, s, fmt.Sprintf("%s-%d-", t.Name(), stamp)}) })
	}
	if forget != nil {
		t.Run("a forgotten lease is told again", func(t *testing.T) {
			suite{t, s, fmt.Sprintf("%s-%d-", t.Name(), stamp)}.forgotten(forget)
		})
	}
}

type suite struct {
	*testing.T
	routing.Slots
	prefix string
}

// ask is for a slot of each of the replicas, as "name" or "name*2" with two slots.
func (s suite) ask(ticket string, left time.Duration, replicas ...string) routing.Ask {
	a := routing.Ask{Ticket: s.prefix + ticket, Avoid: -1, Left: left, Lease: time.Minute, Patience: time.Minute}
	for _, r := range replicas {
		w := routing.Want{Replica: s.prefix + r, Slots: 1}
		if n, ok := cutSlots(r); ok {
			w = routing.Want{Replica: s.prefix + n, Slots: 2}
		}
		a.Replicas = append(a.Replicas, w)
	}
	return a
}

func cutSlots(r string) (string, bool) {
	if len(r) > 2 && r[len(r)-2:] == "*2" {
		return r[:len(r)-2], true
	}
	return r, false
}

func (s suite) take(a routing.Ask, want int) {
	s.Helper()
	got, err := s.Take(s.Context(), a)
	if err != nil {
		s.Fatal(err)
	}
	if got != want {
		s.Errorf("%s got replica %d, want %d", a.Ticket, got, want)
	}
}

func (s suite) give(ticket, replica string) {
	s.Helper()
	if err := s.Give(s.Context(), routing.Lease{Replica: s.prefix + replica, Ticket: s.prefix + ticket}); err != nil {
		s.Fatal(err)
	}
}

func (s suite) bounded() {
	s.take(s.ask("1", time.Minute, "a*2"), 0)
	s.take(s.ask("2", time.Minute, "a*2"), 0)
	s.take(s.ask("3", time.Minute, "a*2"), -1)
	s.take(s.ask("4", time.Minute, "b"), 0) // another replica is another matter
}

func (s suite) givenBack() {
	s.take(s.ask("1", time.Minute, "a"), 0)
	s.give("2", "a") // nobody's
	s.take(s.ask("2", time.Minute, "a"), -1)
	s.give("1", "a")
	s.take(s.ask("2", time.Minute, "a"), 0)
}

// eventually asks until the replica is granted.
func (s suite) eventually(a routing.Ask, want int) {
	s.Helper()
	testkit.Eventually(s, fmt.Sprintf("%s gets replica %d", a.Ticket, want), func() bool {
		got, err := s.Take(s.Context(), a)
		if err != nil {
			s.Fatal(err)
		}
		return got == want
	})
}

func (s suite) leaseEnds() {
	crashed := s.ask("1", time.Minute, "a")
	crashed.Lease = 50 * time.Millisecond
	s.take(crashed, 0)
	s.eventually(s.ask("2", time.Minute, "a"), 0)
}

func (s suite) earliestFirst() {
	s.take(s.ask("1", time.Minute, "a"), 0)
	s.take(s.ask("late", 50*time.Second, "a"), -1)
	s.take(s.ask("soon", 10*time.Second, "a"), -1)
	s.give("1", "a")
	s.take(s.ask("late", 50*time.Second, "a"), -1)
	s.take(s.ask("new", 30*time.Second, "a"), -1)
	s.take(s.ask("soon", 10*time.Second, "a"), 0)
	s.give("soon", "a")
	s.take(s.ask("late", 50*time.Second, "a"), -1)
	s.take(s.ask("new", 30*time.Second, "a"), 0)
}

func (s suite) impatient() {
	s.take(s.ask("1", time.Minute, "a"), 0)
	gone := s.ask("gone", time.Second, "a")
	gone.Patience = 50 * time.Millisecond
	s.take(gone, -1)
	s.give("1", "a")
	s.eventually(s.ask("2", time.Minute, "a"), 0)
}

func (s suite) leastUsed() {
	s.take(s.ask("1", time.Minute, "a*2", "b*2"), 0)
	s.take(s.ask("2", time.Minute, "a*2", "b*2"), 1)
	s.take(s.ask("3", time.Minute, "a*2", "b*2"), 0)
	s.take(s.ask("4", time.Minute, "a*2", "b*2"), 1)
	s.take(s.ask("5", time.Minute, "a*2", "b*2"), -1)
}

func (s suite) avoids() {
	a := s.ask("1", time.Minute, "a*2", "b")
	a.Avoid = 0
	s.take(a, 1)
	a.Ticket += "-2"
	s.take(a, 0) // b is full
}

func (s suite) otherQueues() {
	s.take(s.ask("1", time.Minute, "a"), 0)
	s.take(s.ask("2", time.Second, "a"), -1)     // waits for a alone
	s.take(s.ask("3", time.Minute, "a", "b"), 1) // and is not in the way of b
}

func (s suite) held(ticket, replica string) []routing.Lease {
	return []routing.Lease{{Replica: s.prefix + replica, Ticket: s.prefix + ticket, Ends: time.Now().Add(time.Minute)}}
}

func (s suite) forgotten(forget func()) {
	s.take(s.ask("1", time.Minute, "a"), 0)
	forget()
	a := s.ask("2", time.Minute, "a")
	a.Held = s.held("1", "a")
	s.take(a, -1)
	s.give("1", "a")
	s.take(a, 0)
	forget()
	b := s.ask("3", time.Minute, "a")
	b.Held = s.held("2", "a")
	b.Held[0].Ends = time.Now().Add(-time.Second) // over
	s.take(b, 0)
}

// An ask that was made before a slot was given back may arrive after.
func (s suite) lateAsk() {
	s.take(s.ask("1", time.Minute, "a"), 0)
	s.give("1", "a")
	late := s.ask("2", time.Minute, "a")
	late.Held = s.held("1", "a")
	s.take(late, 0)
}

func (s suite) shrunk() {
	s.take(s.ask("1", time.Minute, "a*2"), 0)
	s.take(s.ask("2", 50*time.Second, "a"), -1) // a probe of a replica that failed
	s.take(s.ask("3", time.Minute, "a*2"), -1)
	s.take(s.ask("2", time.Second, "a*2"), 0)
}

// A client whose ask was not answered sends it again by itself.
func (s suite) twice() {
	s.take(s.ask("1", time.Minute, "a", "b"), 0)
	s.take(s.ask("1", time.Minute, "a", "b"), 0)
	s.take(s.ask("2", time.Minute, "a", "b"), 1)
}

func (s suite) oneWinner() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 8 {
		wg.Go(func() {
			got, err := s.Take(context.WithoutCancel(s.Context()), s.ask(fmt.Sprint(i), time.Minute, "a*2"))
			if err != nil {
				s.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if got == 0 {
				won++
			}
		})
	}
	wg.Wait()
	if won == 0 || won > 2 {
		s.Errorf("%d of 8 got one of the two slots", won)
	}
}
