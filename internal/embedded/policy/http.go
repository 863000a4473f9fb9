package policy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-json"

	"livehost/internal/embedded/policy/latency"
)

// maxRequest is the largest request body taken, in bytes.
const maxRequest = 4 << 20

func (r *replica) chat(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxRequest))
	if err != nil {
		r.fail(w, http.StatusBadRequest, "invalid_request_error", "cannot read the request: "+err.Error())
		return
	}
	var cr chatRequest
	if err := json.Unmarshal(body, &cr); err != nil {
		r.fail(w, http.StatusBadRequest, "invalid_request_error", "the request is no valid JSON: "+err.Error())
		return
	}
	if cr.Model != ModelID {
		r.fail(w, http.StatusNotFound, "not_found_error", fmt.Sprintf("the model %q does not exist; this is %s, id %q", cr.Model, ModelName, ModelID))
		return
	}
	if len(cr.Messages) == 0 {
		r.fail(w, http.StatusBadRequest, "invalid_request_error", "messages is empty")
		return
	}
	ctx, abort := context.WithCancelCause(req.Context())
	defer abort(nil)
	g := r.register(cr.requestID(), abort)
	defer r.forget(g)
	if !r.takeSlot(ctx, w) {
		return
	}
	defer r.slots.release()
	r.generate(ctx, w, cr, g)
}

// takeSlot waits for a slot, or answers that there is none.
func (r *replica) takeSlot(ctx context.Context, w http.ResponseWriter) bool {
	wait, cancel := r.clock.WithTimeout(ctx, r.cfg.QueueWait)
	defer cancel()
	if r.slots.take(wait) == nil {
		return true
	}
	if ctx.Err() != nil { // the client is gone, or aborted it
		r.fail(w, http.StatusServiceUnavailable, "abort", "aborted while waiting for a slot")
		return false
	}
	w.Header().Set("Retry-After", "1")
	r.fail(w, r.cfg.Overload, "overloaded_error", fmt.Sprintf("all %d slots of %s are busy", r.cfg.Slots, r.info.Name))
	return false
}

// register makes the generation that /abort_request can find.
func (r *replica) register(rid string, abort context.CancelCauseFunc) *generation {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	g := &generation{
		id: "chatcmpl-" + r.info.Name + "-" + strconv.Itoa(r.seq), rid: rid,
		created: r.clock.Now(), abort: abort,
	}
	r.running[g.id] = g
	return g
}

func (r *replica) forget(g *generation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, g.id)
}

// generate decides, then sends at the pace of the profile.
func (r *replica) generate(ctx context.Context, w http.ResponseWriter, cr chatRequest, g *generation) {
	decision, err := r.engine.Decide(cr.Request)
	if err != nil {
		r.log.Warn("parts of the harness text cannot be read", "err", err)
	}
	if r.cfg.Hostile != "" {
		if bad, ok := misbehave(r.cfg.Hostile, cr.Request, decision); ok {
			decision = bad
		}
	}
	g.decision = decision
	first := true
	for _, m := range cr.Messages {
		first = first && m.Role != "assistant"
	}
	g.draw = r.sampler.Call(first)
	g.plan(cr, r.profile.Name != latency.Instant)
	out := newSender(w, g, cr)
	if err := r.pace(ctx, g, out); err != nil {
		if errors.Is(context.Cause(ctx), errAborted) {
			g.finish = finishAbort
			out.end()
		}
		return
	}
	out.end()
}

// pace waits for the first token and for each piece, and sends it.
func (r *replica) pace(ctx context.Context, g *generation, out *sender) error {
	if err := r.wait(ctx, r.profile.Prefill(g.draw.FirstToken, r.slots.working())); err != nil {
		return err
	}
	if err := out.begin(); err != nil {
		return err
	}
	for i, frames := range g.pieces() {
		n := latency.Share(g.usage.CompletionTokens, i)
		if err := r.wait(ctx, r.profile.Decode(n, r.slots.working())); err != nil {
			return err
		}
		if err := out.send(frames); err != nil {
			return err
		}
	}
	return nil
}

func (r *replica) wait(ctx context.Context, d time.Duration) error {
	if err := r.clock.Sleep(ctx, d); err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	return nil
}

func (r *replica) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []map[string]any{{
		"id": ModelID, "object": "model", "created": 0, "owned_by": "livehost", "name": ModelName,
	}}})
}

func (r *replica) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"status": "ok", "model": ModelName, "replica": r.info.Name, "slots": r.cfg.Slots, "in_flight": r.slots.working(),
	})
}

// abort ends the generations whose rid or completion id begins with the given
// rid, as SGLang does: clients must not use ids that are prefixes of others.
func (r *replica) abort(w http.ResponseWriter, req *http.Request) {
	var in struct {
		RID string `json:"rid"`
		All bool   `json:"abort_all"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, req.Body, maxRequest)).Decode(&in); err != nil || (in.RID == "" && !in.All) {
		r.fail(w, http.StatusBadRequest, "invalid_request_error", "want a JSON object with rid, or with abort_all")
		return
	}
	n := 0
	r.mu.Lock()
	for _, g := range r.running {
		if in.All || (g.rid != "" && strings.HasPrefix(g.rid, in.RID)) || strings.HasPrefix(g.id, in.RID) {
			g.abort(errAborted)
			n++
		}
	}
	r.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{"aborted": n})
}

func (r *replica) fail(w http.ResponseWriter, status int, kind, text string) {
	r.log.Debug("policy refused a request", "status", status, "reason", text)
	var e apiError
	e.Error.Message, e.Error.Type, e.Error.Code = text, kind, status
	writeJSON(w, status, e)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(marshal(v)) // the client may be gone
}
