package clickhouse

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"livehost/internal/fault"
)

// exhausted are the server's error codes that say: not so much at once.
var exhausted = map[int32]bool{
	202: true, // TOO_MANY_SIMULTANEOUS_QUERIES
	241: true, // MEMORY_LIMIT_EXCEEDED
	252: true, // TOO_MANY_PARTS
}

// unavailable are the server's error codes that pass when waited for, or when
// somebody makes room on the disk.
var unavailable = map[int32]bool{
	74: true, 75: true, 76: true, // CANNOT_READ_FROM_, CANNOT_WRITE_TO_FILE_DESCRIPTOR (disk full), CANNOT_OPEN_FILE
	159: true, 160: true, // TIMEOUT_EXCEEDED, TOO_SLOW
	164: true,            // READONLY
	198: true,            // DNS_ERROR
	209: true, 210: true, // SOCKET_TIMEOUT, NETWORK_ERROR
	236: true,             // ABORTED
	242: true,             // TABLE_IS_READ_ONLY
	243: true,             // NOT_ENOUGH_SPACE
	279: true,             // ALL_CONNECTION_TRIES_FAILED
	285: true,             // TOO_FEW_LIVE_REPLICAS
	319: true,             // UNKNOWN_STATUS_OF_INSERT
	394: true,             // QUERY_WAS_CANCELLED
	425: true,             // SYSTEM_ERROR
	439: true,             // CANNOT_SCHEDULE_TASK
	999: true, 1001: true, // KEEPER_EXCEPTION, STD_EXCEPTION (of a file system, mostly)
}

// refused are the server's error codes about the request itself: who reads may
// correct it.
var refused = map[int32]bool{
	36: true, 43: true, 46: true, 47: true, 53: true, // BAD_ARGUMENTS, ILLEGAL_TYPE_OF_ARGUMENT, UNKNOWN_FUNCTION, UNKNOWN_IDENTIFIER, TYPE_MISMATCH
	60: true, 62: true, 81: true, // UNKNOWN_TABLE, SYNTAX_ERROR, UNKNOWN_DATABASE
	192: true, 193: true, 194: true, 497: true, 516: true, // UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, ACCESS_DENIED, AUTHENTICATION_FAILED
}

// Classify gives a driver error its kind: what passes when waited for is
// Unavailable or Exhausted, a request that cannot be right is Invalid, everything
// else is a bug of ours.
func Classify(err error) error {
	var ex *clickhouse.Exception
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return fault.Wrap(fault.Canceled, err)
	case errors.As(err, &ex) && exhausted[ex.Code]:
		return &fault.Error{Kind: fault.Exhausted, After: time.Second, Err: err}
	case errors.As(err, &ex):
		return fault.Wrap(kindOf(ex.Code), err)
	case transport(err):
		return fault.Wrap(fault.Unavailable, err)
	}
	return fault.Wrap(fault.Internal, err)
}

func kindOf(code int32) fault.Kind {
	switch {
	case unavailable[code]:
		return fault.Unavailable
	case refused[code]:
		return fault.Invalid
	}
	return fault.Internal
}

// transport says whether the server was not reached, or did not get to answer.
func transport(err error) bool {
	var netErr net.Error
	var answer *clickhouse.HTTPError
	if errors.As(err, &answer) { // without an exception: a proxy, or a server that dies
		return answer.StatusCode >= http.StatusInternalServerError || answer.StatusCode == http.StatusTooManyRequests
	}
	for _, e := range []error{
		io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, context.DeadlineExceeded, clickhouse.ErrAcquireConnTimeout,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, syscall.ENOENT, net.ErrClosed,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return errors.As(err, &netErr)
}
