// Package outlettest is the conformance suite of dispatcher.Outlet and PrivateOutlet.
//
// Every outlet runs it. It knows none of them.
package outlettest
