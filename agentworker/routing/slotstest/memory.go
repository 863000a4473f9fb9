package slotstest

import (
	"context"
	"sync"
	"time"

	"livehost/agentworker/routing"
)

// Memory is routing.Slots for the routers of one process; it forgets nothing. The
// zero value is ready.
type Memory struct {
	mu      sync.Mutex
	leases  map[string]map[string]time.Time // replica -> ticket -> end
	waiting map[string]*place               // by ticket
}

// place is a ticket's in the queue.
type place struct {
	deadline, kept time.Time
	replicas       map[string]bool
}

var _ routing.Slots = (*Memory)(nil)

// Take implements routing.Slots.
func (m *Memory) Take(_ context.Context, a routing.Ask) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.clean(now)
	me := &place{deadline: now.Add(a.Left), kept: now.Add(a.Patience), replicas: map[string]bool{}}
	best, least := -1, 0
	for i, w := range a.Replicas {
		me.replicas[w.Replica] = true
		delete(m.leases[w.Replica], a.Ticket)
		used := len(m.leases[w.Replica])
		free := w.Slots - used
		switch {
		case free <= m.ahead(w.Replica, a.Ticket, me.deadline):
		case best < 0, best == a.Avoid, i != a.Avoid && used < least:
			best, least = i, used
		}
	}
	if best < 0 {
		m.waiting[a.Ticket] = me
		return -1, nil
	}
	delete(m.waiting, a.Ticket)
	m.lease(routing.Lease{Replica: a.Replicas[best].Replica, Ticket: a.Ticket, Ends: now.Add(a.Lease)})
	return best, nil
}

// ahead is how many others wait for the replica with an earlier deadline.
func (m *Memory) ahead(replica, ticket string, deadline time.Time) int {
	n := 0
	for other, p := range m.waiting {
		if other != ticket && p.replicas[replica] && p.deadline.Before(deadline) {
			n++
		}
	}
	return n
}

func (m *Memory) lease(l routing.Lease) {
	if m.leases[l.Replica] == nil {
		m.leases[l.Replica] = map[string]time.Time{}
	}
	m.leases[l.Replica][l.Ticket] = l.Ends
}

func (m *Memory) clean(now time.Time) {
	if m.leases == nil {
		m.leases, m.waiting = map[string]map[string]time.Time{}, map[string]*place{}
	}
	for _, of := range m.leases {
		for ticket, ends := range of {
			if !ends.After(now) {
				delete(of, ticket)
			}
		}
	}
	for ticket, p := range m.waiting {
		if !p.kept.After(now) {
			delete(m.waiting, ticket)
		}
	}
}

// Give implements routing.Slots.
func (m *Memory) Give(_ context.Context, l routing.Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.leases[l.Replica], l.Ticket)
	return nil
}
