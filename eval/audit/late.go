package audit

import "livehost/streams/event"

// OutOfTime says what the run that answers the danmaku waited for in vain, "" when it
// waited for nothing so.
func (v *View) OutOfTime(key Key) string {
	r := v.reply(key)
	if r == nil {
		return ""
	}
	for i := range v.log.Steps {
		switch st := &v.log.Steps[i].V; {
		case st.RunID != r.V.RunID:
		case st.Kind == event.StepTool && st.Error == "TIMEOUT":
			return "the tool " + st.Name
		case st.Kind == event.StepFallback && st.Name == "conservative" && (st.Cause == "deadline" || st.Cause == "policy_timeout"):
			return "the policy"
		}
	}
	return ""
}
