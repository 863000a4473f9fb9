package testkit_test

import (
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"livehost/internal/testkit"
)

func TestComesEndsWithTheConditionOrThePatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if !testkit.Comes(func() bool { return time.Since(began) >= time.Minute }) || time.Since(began) > time.Minute+10*time.Millisecond {
			t.Errorf("what came after a minute was seen after %v", time.Since(began))
		}
		began = time.Now()
		if testkit.Comes(func() bool { return false }) || time.Since(began) < testkit.Patience {
			t.Errorf("what never comes was given up after %v", time.Since(began))
		}
	})
}

func TestPortIsFree(t *testing.T) {
	t.Parallel()
	port := testkit.Port(t)
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}
