package kafka

import (
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// together shares partitions as the client's cooperative sticky balancer does, which
// moves only what must move, and gives partition n of all topics to one member, as the
// range balancer does: a member's state is that of a partition over all of them. With the
// range balancer every member would give everything up whenever one comes or goes, and
// all rooms would fall silent until the last one's sentence has ended.
//
// All members have the same topics, with the same number of partitions.
type together struct{ kgo.GroupBalancer }

func newTogether() together { return together{kgo.CooperativeStickyBalancer()} }

// ProtocolName implements kgo.GroupBalancer: members with other protocols are kept out.
func (together) ProtocolName() string { return "cooperative-sticky-copartitioned" }

// MemberBalancer implements kgo.GroupBalancer.
func (t together) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	b, err := kgo.NewConsumerBalancer(t, members)
	return b, b.MemberTopics(), err
}

// Balance implements kgo.ConsumerBalancerBalance: the first topic is shared, and the
// others as that one.
func (t together) Balance(b *kgo.ConsumerBalancer, topics map[string]int32) kgo.IntoSyncAssignment {
	names := slices.Sorted(maps.Keys(topics))
	for _, name := range names {
		if topics[name] != topics[names[0]] {
			b.SetError(fmt.Errorf("topic %s has %d partitions and topic %s has %d: they must have the same number",
				names[0], topics[names[0]], name, topics[name]))
			return nil
		}
	}
	if len(names) == 0 {
		return b.NewPlan()
	}
	first := names[0]
	plan := t.GroupBalancer.(kgo.ConsumerBalancerBalance).Balance(b, map[string]int32{first: topics[first]}).(*kgo.BalancePlan)
	for _, assigned := range plan.AsMemberIDMap() {
		for _, name := range names[1:] {
			assigned[name] = slices.Clone(assigned[first])
		}
	}
	return plan
}
