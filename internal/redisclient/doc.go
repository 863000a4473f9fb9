// Package redisclient makes the one Redis client of a process.
//
// It owns address, credentials and protocol timeouts. What is stored where is the
// redis* adapters' business.
package redisclient
