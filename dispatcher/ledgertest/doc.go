// Package ledgertest is the conformance suite of dispatcher.Ledger, and a ledger in memory
// for tests of the dispatcher.
//
// Every implementation runs the suite, over real servers too. It knows none of them.
package ledgertest
