package dispatcher_test

import (
	"testing"
	"time"

	"livehost/dispatcher"
	"livehost/dispatcher/ledgertest"
)

func TestMemoryLedger(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(*testing.T) dispatcher.Ledger { return dispatcher.NewMemoryLedger(time.Hour) })
}
