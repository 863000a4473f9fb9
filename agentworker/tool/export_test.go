package tool

// Outside is what the guarded dialer asks about an address.
var Outside = outside
