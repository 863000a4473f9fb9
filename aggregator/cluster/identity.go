package cluster

// doubts are what is asked about who answers, by its words: one statement answers all
// that doubt the same, however they put it.
var doubts = build(map[string][]string{
	"machine": {
		"机器人|机器|真人|人机|人工|假人|虚拟|数字人|智能|ai",
		"robot|robots|bot|bots|machine|ai|human|real person|real human|are you real|are u real|r u real|virtual",
	},
	"recorded": {
		"录播|录像|录的|录制|回放|重播|现场直播|是直播|实时",
		"recorded|recording|record|prerecorded|replay|live|real time",
	},
})

// longestDoubt is how much a doubt may hold (see own); more asks something else, too.
const longestDoubt = 12

// doubt is what a question about who answers doubts; what it asks when it doubts neither
// or both.
func doubt(core string, in []rune) string {
	found, same := "", true
	doubts.Each(in, func(_, _ int, d string) bool {
		same = found == "" || found == d
		found = d
		return same
	})
	switch left, _ := own(in); {
	case found != "" && same && left <= longestDoubt:
		return found
	case core != "":
		return core
	default:
		return string(in)
	}
}
