// Package lifecycle turns a Run(ctx) error into an fx hook.
//
// It owns the one way a long-lived part is started and stopped: scheduled at
// start, the application is shut down with exit code 1 when it returns early, and
// at stop its context is cancelled and its return awaited within fx's stop timeout.
//
// Invariants: no goroutine outlives the application's stop; an error is logged
// once, here.
package lifecycle
