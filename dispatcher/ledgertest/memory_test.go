package ledgertest_test

import (
	"testing"

	"livehost/dispatcher"
	"livehost/dispatcher/ledgertest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(*testing.T) dispatcher.Ledger { return ledgertest.NewMemory() })
}
