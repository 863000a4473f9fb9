package redisledger_test

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"livehost/dispatcher"
	"livehost/dispatcher/ledgertest"
	"livehost/dispatcher/redisledger"
	"livehost/internal/testkit"
)

func TestLedgerOnRealServer(t *testing.T) {
	t.Parallel()
	addr := testkit.RealServer(t, testkit.RedisAddr)
	client := redis.NewClient(&redis.Options{Addr: addr, DB: 1})
	t.Cleanup(func() { _ = client.Close() })
	ledgertest.Run(t, func(t *testing.T) dispatcher.Ledger {
		if err := client.FlushDB(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		l, err := redisledger.New(redisledger.DefaultConfig(), client)
		if err != nil {
			t.Fatal(err)
		}
		return l
	})
}
