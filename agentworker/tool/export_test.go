package tool

// Outside is what the guarded dialer asks about an address.
var Outside = outside

// HostPort is what the allow-list is asked for.
var HostPort = hostPort
