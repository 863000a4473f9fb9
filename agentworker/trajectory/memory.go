package trajectory

import (
	"context"
	"slices"
	"sync"

	"livehost/streams/event"
)

// Memory is a publisher that keeps steps and publishes nothing, for runs that
// leave no trace in the log: replays, evaluations, tests. The zero value is ready.
type Memory struct {
	mu    sync.Mutex
	steps []event.Step
}

// Publish implements streams.Publisher; events other than steps are dropped.
func (m *Memory) Publish(_ context.Context, events ...event.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range events {
		if st, ok := e.(event.Step); ok {
			m.steps = append(m.steps, st)
		}
	}
	return nil
}

// Steps returns a copy of what was kept, in the order of its publication.
func (m *Memory) Steps() []event.Step {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.steps)
}
