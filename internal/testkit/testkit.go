package testkit

import (
	"os"
	"testing"
)

// The variables that name real servers; `make test-real` sets them.
const (
	KafkaBrokers = "TEST_KAFKA_BROKERS" // host:port, comma-separated
	RedisAddr    = "TEST_REDIS_ADDR"    // host:port
)

// RealServer is the value of the variable that names a real server. Without it
// the test is skipped, or fails when REQUIRE_REAL is set.
func RealServer(t testing.TB, variable string) string {
	t.Helper()
	addr := os.Getenv(variable)
	if addr == "" {
		Missing(t, variable+" is not set")
	}
	return addr
}

// Missing skips the test for want of something real, or fails it when
// REQUIRE_REAL is set.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("REQUIRE_REAL") != "" {
		t.Fatalf("%s, and REQUIRE_REAL is set: run `make test-real`", what)
	}
	t.Skipf("%s; `make test-real` runs this", what)
}
