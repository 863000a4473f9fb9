package guardrail

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"livehost/agentworker/tool"
)

var (
	// commandStems are cheap to look for; only a text with one is looked at closely.
	commandStems = strings.Fields(`ignore disregard forget override bypass jailbreak pretend roleplay unfiltered unrestricted prompt instruction directive developer dan system: assistant: reveal respond reply repeat output print
		忽略 无视 忘记 忘掉 扮演 假装 系统 提示词 指令 开发者 越狱 复述 输出 回复 念出 从现在 你现在 不受限制`)
	command = regexp.MustCompile(`(?is)(ignore|disregard|forget|override|bypass)\b.{0,40}\b(instruction|rule|prompt|previous|above|polic|safety|guideline|direction|everything)|\b(jailbreak|developer mode|dan mode|do anything now|unfiltered|unrestricted)\b|(pretend|act as|roleplay|role play|simulate|you are now|from now on)\b|(system|assistant|admin)\s*:|system prompt|new (directive|instruction)|(reveal|show|print|output|repeat|tell me)\b.{0,30}\b(prompt|instruction|rule|password|secret|key)|(reply|respond|answer|say|output|print|repeat)\b.{0,20}["'“‘「]|(忽略|无视|忘记|忘掉|不管|跳过)[^。]{0,12}(指令|规则|提示|设定|要求|限制|内容)|(扮演|假装|从现在(开始|起)|你现在是|开发者模式|越狱|不受(任何)?限制|系统(提示|指令|消息)|提示词|(^|[^作\p{Han}])系统\s*[:：])|(复述|输出|念出|说出|回复|告诉我)[^。]{0,12}["“‘「『:：]|(复述|输出|告诉我)[^。]{0,10}(指令|规则|提示)`)
	// dictated is what a text wants said word by word.
	dictated = regexp.MustCompile(`(?is)(?:reply|respond|answer|say|output|print|repeat|write|回复|输出|复述|念出|说出|说|念)[^"'“‘「『\n]{0,24}["'“‘「『]([^"'”’」』\n]{3,160})["'”’」』]`)
)

// watch reports whether a text from outside, which is data, orders the host about;
// it remembers the order and what it wants said.
func (e *Evidence) watch(text string) bool {
	lower := strings.ToLower(text)
	if !slices.ContainsFunc(commandStems, func(s string) bool { return strings.Contains(lower, s) }) || !command.MatchString(text) {
		return false
	}
	e.orders.Add(text)
	for _, m := range dictated.FindAllStringSubmatch(text, -1) {
		e.dictated = append(e.dictated, squash(m[1]))
	}
	return true
}

// squash keeps letters and digits, for comparing what was dictated with what is said.
func squash(s string) string {
	var b strings.Builder
	for _, u := range units(s) {
		b.WriteString(strings.ToLower(s[u.from:u.to]))
	}
	return b.String()
}

// Injection objects to a reply that says what a viewer, a nickname, an FAQ entry, a
// product text or a tool result orders it to say, or repeats such an order, or
// announces that it obeys.
func Injection(in *Input) (Finding, bool) {
	if at := obedience.FindString(in.Text); at != "" {
		return found(at, "announces that it follows an order")
	}
	if at := in.Evidence.orders.In(in.Text); at != "" {
		return found(at, "repeats an order found in data")
	}
	if len(in.Evidence.dictated) == 0 {
		return fine, true
	}
	said := squash(in.Text)
	for _, d := range in.Evidence.dictated {
		if d != "" && strings.Contains(said, d) {
			return found(in.Text, "says what data dictates")
		}
	}
	return fine, true
}

var obedience = regexp.MustCompile(`(?i)injection success|\b(dan|stan|aim|bish|developer|jailbreak|unfiltered|unrestricted|god) mode\b|jailbroken|i (will|can) (now )?(ignore|disregard|bypass)|ignoring (all |my |the )?(previous|instructions|rules)|rules? (is|are|have been|has been) (now )?(disabled|ignored|off)|as (an )?(unrestricted|unfiltered|uncensored)|do anything now|已(经)?(忽略|解除|无视)(了)?(所有|全部|之前)?的?(规则|指令|限制|设定)|(我|现在)(已经)?(没有|不受|不再受)(任何)?限制|(进入|切换(到|为)?|开启)(了)?(开发者|无限制|越狱|管理员)模式|遵命|听从您的指令`)

// mostFailures is how often one tool may fail in a run before it is left alone.
const mostFailures = 2

// RepeatedFailure objects to a call that has failed in this run with the same
// arguments, and to a tool that keeps failing whatever it is asked.
func RepeatedFailure(in *Input) (Finding, bool) {
	var args map[string]any
	if json.Unmarshal(in.Tool.Args, &args) != nil {
		return fine, true // ToolParams says so
	}
	delete(args, in.Tool.Asker) // the server never gets it: the viewers are compared
	want := values(args)
	failures := 0
	for _, r := range in.Evidence.Results {
		if r.Code == "" || r.Tool != in.Tool.Name {
			continue
		}
		if r.Args != nil && r.viewer == in.Tool.Viewer && slices.Equal(values(r.Args), want) {
			return found(in.Tool.Name, "the same call failed with "+r.Code)
		}
		if tool.Code(r.Code).Away() {
			failures++
		}
	}
	if failures >= mostFailures {
		return found(in.Tool.Name, "the tool has failed in this run; answer without it")
	}
	return fine, true
}

// values are the arguments without their names, which differ between the policy and the server.
func values(args map[string]any) []string {
	var out []string
	for _, v := range args {
		out = append(out, linksOf(v)...)
	}
	slices.Sort(out)
	return out
}

var answers = regexp.MustCompile(`(?i)(您|你)(刚才)?(问|说|提到)|(您|你)的(问题|提问|疑问)|回答(您|你)|you asked|your question|to answer you|as you said`)

// EventReply objects to a reply to a gift, an entry or a follow that treats it as a
// question: nobody asked, so there is nothing to answer and no fact to state.
func EventReply(in *Input) (Finding, bool) {
	if len(in.Members) > 0 {
		return fine, true
	}
	if at := answers.FindString(in.Text); at != "" {
		return found(at, "nobody asked anything")
	}
	for _, c := range claims(in.Text) {
		if commercial(c.Kind) {
			return found(c.Text, "nobody asked anything")
		}
	}
	return fine, true
}
