package hook

// Action is what a hook wants done.
type Action string

// The actions, from harmless to severe.
const (
	Allow    Action = "allow"
	Rewrite  Action = "rewrite"
	Retry    Action = "retry"
	Block    Action = "block"    // the conservative reply instead
	Suppress Action = "suppress" // nothing instead
)

var severity = map[Action]int{Allow: 0, Rewrite: 1, Retry: 2, Block: 3, Suppress: 4}

// Worse is the more severe of two actions.
func Worse(a, b Action) Action {
	if severity[b] > severity[a] {
		return b
	}
	return a
}

// The lifecycle points.
const (
	RunStart    = "run_start"
	BeforeModel = "before_model"
	AfterModel  = "after_model"
	BeforeTool  = "before_tool"
	AfterTool   = "after_tool"
	BeforeReply = "before_reply"
	Stop        = "stop"
)
