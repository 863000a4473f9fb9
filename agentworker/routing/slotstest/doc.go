// Package slotstest is the conformance suite of routing.Slots, and Memory, which
// keeps it for routers of one process.
//
// Every implementation runs the suite, over real servers too. It knows none of them.
package slotstest
