package telemetry

import (
	"go.opentelemetry.io/otel/attribute"
)

// The names of the GenAI semantic conventions, as of their version 1.41; the SDK's
// own packages no longer have them.
const (
	operationName  = attribute.Key("gen_ai.operation.name")
	providerName   = attribute.Key("gen_ai.provider.name")
	agentName      = attribute.Key("gen_ai.agent.name")
	agentVersion   = attribute.Key("gen_ai.agent.version")
	conversationID = attribute.Key("gen_ai.conversation.id")
	requestModel   = attribute.Key("gen_ai.request.model")
	requestMax     = attribute.Key("gen_ai.request.max_tokens")
	requestTemp    = attribute.Key("gen_ai.request.temperature")
	requestTopP    = attribute.Key("gen_ai.request.top_p")
	responseModel  = attribute.Key("gen_ai.response.model")
	finishReasons  = attribute.Key("gen_ai.response.finish_reasons")
	inputTokens    = attribute.Key("gen_ai.usage.input_tokens")
	outputTokens   = attribute.Key("gen_ai.usage.output_tokens")
	tokenType      = attribute.Key("gen_ai.token.type")
	toolName       = attribute.Key("gen_ai.tool.name")
	toolCallID     = attribute.Key("gen_ai.tool.call.id")
	toolType       = attribute.Key("gen_ai.tool.type")
	serverAddress  = attribute.Key("server.address")
	errorType      = attribute.Key("error.type")
)

// The conventions' values. The provider is the protocol's: which engine answers is
// the replica's business.
const (
	invokeAgent = "invoke_agent"
	chat        = "chat"
	executeTool = "execute_tool"
	openAI      = "openai"
)

// What the conventions have no name for.
const (
	windowID    = attribute.Key("livehost.window_id")
	runID       = attribute.Key("livehost.run_id")
	roomID      = attribute.Key("livehost.room_id")
	deliveryID  = attribute.Key("livehost.delivery_id")
	variant     = attribute.Key("livehost.variant")
	release     = attribute.Key("livehost.release")
	policy      = attribute.Key("livehost.policy_version")
	mode        = attribute.Key("livehost.mode")
	kind        = attribute.Key("livehost.kind")
	members     = attribute.Key("livehost.members")
	attempt     = attribute.Key("livehost.attempt")
	round       = attribute.Key("livehost.round")
	route       = attribute.Key("livehost.route")
	rounds      = attribute.Key("livehost.rounds")
	ending      = attribute.Key("livehost.ending")
	slotWait    = attribute.Key("livehost.slot_wait_s")
	firstToken  = attribute.Key("livehost.first_token_s")
	rescued     = attribute.Key("livehost.rescued_call")
	hedged      = attribute.Key("livehost.hedged")
	rule        = attribute.Key("livehost.rule")
	action      = attribute.Key("livehost.action")
	cause       = attribute.Key("livehost.cause")
	state       = attribute.Key("livehost.state")
	channel     = attribute.Key("livehost.channel")
	stage       = attribute.Key("livehost.stage")
	destination = attribute.Key("messaging.destination.name")
	system      = attribute.Key("messaging.system")
)

// The buckets of the histograms, in seconds and tokens. The conventions' own double
// from bucket to bucket; these have the limits that matter here: calls of 2 and 3 s,
// runs of 10 s, answers within 15 s.
var (
	secondBuckets = []float64{0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10, 12.5, 15, 20, 30, 60}
	tokenBuckets  = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144}
)
