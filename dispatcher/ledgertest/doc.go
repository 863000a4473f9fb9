// Package ledgertest is the conformance suite of dispatcher.Ledger.
//
// Every implementation runs it, over real servers too. It knows none of them.
package ledgertest
