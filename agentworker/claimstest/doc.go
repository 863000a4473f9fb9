// Package claimstest is the conformance suite of agentworker.Claims.
//
// Every implementation runs it, over real servers too. It knows none of them.
package claimstest
