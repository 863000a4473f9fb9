package topic

import (
	"strings"
	"testing"

	"livehost/streams/event"
)

// The vectors of Apache Kafka's UtilsTest.testMurmur2.
func TestMurmur2(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int32{
		"21":                         -973932308,
		"foobar":                     -790332482,
		"a-little-bit-long-string":   -985981536,
		"a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
		"abc": 479470107,
	} {
		if got := int32(murmur2(key)); got != want {
			t.Errorf("murmur2(%q) = %d, want %d", key, got, want)
		}
	}
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, tp := range All(DefaultPartitions) {
		if err := tp.Validate(); err != nil {
			t.Error(err)
		}
		if seen[tp.Name] {
			t.Errorf("%s is listed twice", tp.Name)
		}
		seen[tp.Name] = true
		if strings.HasSuffix(tp.Name, ".dlq") {
			continue
		}
		if tp.Payload == nil || tp.Payload.Topic() != tp.Name {
			t.Errorf("%s: payload %T is not of this topic", tp.Name, tp.Payload)
		}
		if tp.Partitions != DefaultPartitions {
			t.Errorf("%s: %d partitions, want as many as all others", tp.Name, tp.Partitions)
		}
	}
	for _, name := range []string{
		event.TopicDanmaku, event.TopicRoomEvent, event.TopicOrder, event.TopicWindow, event.TopicExposure, event.TopicReply,
		event.TopicTrajectory, event.TopicGuardrailHit, event.TopicDelivery, event.TopicOutcome, event.TopicRoomState, event.TopicSpeechCue,
	} {
		if !seen[name] || !seen[DLQ(name)] {
			t.Errorf("%s or its dead-letter topic is not in the catalogue", name)
		}
	}
}
