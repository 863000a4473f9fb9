package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

// fetchMaxWait is how long a broker holds a fetch open when there is nothing
// new. A new record ends it at once; the bound is for partitions that join the
// next fetch, after a pause for instance.
const fetchMaxWait = 250 * time.Millisecond

// newClient makes a client with what all of ours have in common.
func newClient(cfg Config, log *slog.Logger, opts ...kgo.Opt) (*kgo.Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	security, err := cfg.security()
	if err != nil {
		return nil, err
	}
	common := append(security,
		kgo.SeedBrokers(cfg.Brokers...),
		kgo.ClientID(cfg.ClientID),
		kgo.WithLogger(logger{log}),
		kgo.DisableClientMetrics(),
		kgo.FetchMinBytes(1),
		kgo.FetchMaxWait(fetchMaxWait),
		// We have no transactions; a platform's producer may. What it aborts was never said.
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	)
	cl, err := kgo.NewClient(append(common, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return cl, nil
}

// logger passes the client library's errors and warnings on.
type logger struct{ log *slog.Logger }

func (logger) Level() kgo.LogLevel { return kgo.LogLevelWarn }

func (l logger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	to := slog.LevelWarn
	if level == kgo.LogLevelError {
		to = slog.LevelError
	}
	l.log.Log(context.Background(), to, "kafka client", append([]any{"detail", msg}, keyvals...)...)
}

// purged is the client library's error for records of a topic that we made it
// forget, which it does not export.
const purged = "topic purged while buffered"

// classify gives an error of the client library its fault kind.
func classify(err error) error {
	var netErr net.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kgo.ErrClientClosed):
		return fault.Wrap(fault.Canceled, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err // fault.KindOf knows them
	case errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge):
		return fault.Wrap(fault.Invalid, err)
	case errors.Is(err, kerr.SaslAuthenticationFailed), errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed):
		return fault.Wrap(fault.Internal, err) // a retry would not help
	case kerr.IsRetriable(err), kgo.IsRetryableBrokerErr(err), errors.As(err, &netErr),
		lostByBroker(err), errors.Is(err, kgo.ErrRecordTimeout), errors.Is(err, kgo.ErrRecordRetries), errors.Is(err, kgo.ErrMaxBuffered), err.Error() == purged:
		return fault.Wrap(fault.Unavailable, err)
	default:
		return fault.Wrap(fault.Internal, err)
	}
}

// lostByBroker says that the client found records gone that the broker had, and goes on
// where the log went on.
func lostByBroker(err error) bool {
	var loss *kgo.ErrDataLoss
	return errors.As(err, &loss)
}

// recordOf is the record as the stages see it; room is its key. The value is not
// copied.
func recordOf(r *kgo.Record, room event.RoomID) streams.Record {
	out := streams.Record{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
		Key: room, Value: r.Value, AppendTime: r.Timestamp,
	}
	if len(r.Headers) > 0 {
		out.Headers = make(map[string]string, len(r.Headers))
		for _, h := range r.Headers {
			out.Headers[h.Key] = string(h.Value)
		}
		out.AppendTime = firstAppended(out)
	}
	return out
}

// firstAppended is when the record came into the log: a dead letter that is
// replayed is as old as it was, so that nobody takes it for new.
func firstAppended(r streams.Record) time.Time {
	ms, err := strconv.ParseInt(r.Headers[HeaderAppendTimeMs], 10, 64)
	if err != nil || ms <= 0 {
		return r.AppendTime
	}
	if at := time.UnixMilli(ms); at.Before(r.AppendTime) {
		return at
	}
	return r.AppendTime
}
