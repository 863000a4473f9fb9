package agentworker_test

import (
	"testing"

	"livehost/agentworker"
	"livehost/agentworker/claimstest"
)

func TestMemoryClaims(t *testing.T) {
	t.Parallel()
	claimstest.Run(t, agentworker.NewMemoryClaims())
}
