package kafka

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var threeTopics = []string{"delivery.v1", "reply.v1", "room-event.v1"}

// round is one rebalance: what the members get who say that they have owned.
func round(t *testing.T, owned map[string]map[string][]int32, generation int32, partitions map[string]int32) (map[string]map[string][]int32, error) {
	t.Helper()
	b := newTogether()
	var members []kmsg.JoinGroupResponseMember
	for _, id := range slices.Sorted(maps.Keys(owned)) {
		m := kmsg.NewJoinGroupResponseMember()
		m.MemberID, m.ProtocolMetadata = id, b.JoinGroupMetadata(threeTopics, owned[id], generation)
		members = append(members, m)
	}
	balancer, _, err := b.MemberBalancer(members)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := balancer.(kgo.GroupMemberBalancerOrError).BalanceOrError(partitions)
	if err != nil {
		return nil, err
	}
	return plan.(*kgo.BalancePlan).AsMemberIDMap(), nil
}

// Members come and go: each partition is one member's, that of all topics the same
// one's; nothing is given to a member while another has it; and who stays keeps at least
// what a fair share is.
func TestTopicsStayTogether(t *testing.T) {
	t.Parallel()
	const n = 12
	partitions := map[string]int32{}
	for _, name := range threeTopics {
		partitions[name] = n
	}
	have := map[string]map[string][]int32{}
	generation := int32(0)
	settle := func(members ...string) (rounds int) {
		t.Helper()
		for {
			owned := map[string]map[string][]int32{}
			for _, id := range members {
				owned[id] = have[id]
			}
			generation++
			plan, err := round(t, owned, generation, partitions)
			if err != nil {
				t.Fatal(err)
			}
			rounds++
			holder := map[int32]string{}
			for id, topics := range owned {
				for _, p := range topics[threeTopics[0]] {
					holder[p] = id
				}
			}
			moved := false
			for id, topics := range plan {
				for _, name := range threeTopics[1:] {
					if d := cmp.Diff(topics[threeTopics[0]], topics[name]); d != "" {
						t.Fatalf("%s: %s has other partitions than %s:\n%s", id, name, threeTopics[0], d)
					}
				}
				for _, p := range topics[threeTopics[0]] {
					if h, held := holder[p]; held && h != id {
						t.Errorf("partition %d is given to %s while %s has it", p, id, h)
					}
					delete(holder, p)
				}
			}
			moved = len(holder) > 0 // given up in this round, to be given to others in the next
			have = plan
			if !moved {
				return rounds
			}
		}
	}
	check := func(members ...string) {
		t.Helper()
		count := map[int32]int{}
		for _, id := range members {
			got := have[id][threeTopics[0]]
			if len(got) != n/len(members) {
				t.Errorf("%s has %d of %d partitions among %d members", id, len(got), n, len(members))
			}
			for _, p := range got {
				count[p]++
			}
		}
		if len(count) != n {
			t.Errorf("%d of %d partitions are somebody's", len(count), n)
		}
	}
	settle("a", "b", "c")
	check("a", "b", "c")
	before := have
	settle("a", "b") // c was killed
	check("a", "b")
	for _, id := range []string{"a", "b"} {
		for _, p := range before[id][threeTopics[0]] {
			if !slices.Contains(have[id][threeTopics[0]], p) {
				t.Errorf("partition %d was taken from %s, who stayed", p, id)
			}
		}
	}
	if rounds := settle("a", "b", "c", "d"); rounds != 2 {
		t.Errorf("two new members: %d rounds, want 2: give up, then take", rounds)
	}
	check("a", "b", "c", "d")
}

func TestTopicsThatCannotStayTogether(t *testing.T) {
	t.Parallel()
	partitions := map[string]int32{threeTopics[0]: 12, threeTopics[1]: 12, threeTopics[2]: 8}
	_, err := round(t, map[string]map[string][]int32{"a": nil}, 1, partitions)
	if want := fmt.Sprintf("topic %s has 12 partitions and topic %s has 8", threeTopics[0], threeTopics[2]); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
