// Package enginetest runs the real embedded ClickHouse engine for tests.
//
// A package that uses it calls Main from its TestMain, because the engine is a
// child process of the test binary. Without the library tests fail and say how to
// get it; they do not skip.
package enginetest
