package app_test

import (
	"strings"
	"testing"

	"livehost/internal/app"
)

// Workers share a replica's slots by its address: one that is listed twice, or written
// in two ways, would have them once.
func TestReplicasAreDifferentServers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ second, want string }{
		{"http://replica-b:8000/v1", ""},
		{"http://replica-a:8000/v1", "replicas[1].base_url: is that of replicas[0], too"},
		{"http://Replica-A:8000/v1/", "replicas[1].base_url: is that of replicas[0], too"},
	} {
		err := app.PolicyConfig{Model: "m", Replicas: []app.PolicyReplica{
			{Name: "a", BaseURL: "http://replica-a:8000/v1", Slots: 2}, {Name: "b", BaseURL: tt.second, Slots: 2},
		}}.Validate()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.second, err, tt.want)
		}
	}
}
