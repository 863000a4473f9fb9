package tool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"livehost/harness"
)

// Args are a call's arguments as Call reads them, by the names of the tool and by those
// of its binding; nil when they are wrong.
func Args(t *harness.Tool, text string) (mine, theirs map[string]any) {
	mine, _, err := parseArgs(t, text)
	if err != nil {
		return nil, nil
	}
	return mine, theirArgs(t, mine)
}

// parseArgs reads and checks a call's arguments: nothing and null are {}, anything
// but an object is wrong. field names the wrong parameter.
func parseArgs(t *harness.Tool, text string) (args map[string]any, field string, err error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		text = "{}"
	}
	args, err = decodeObject(text)
	if err != nil {
		return nil, "", errors.New("the arguments are not a JSON object")
	}
	repairTypes(t, args)
	if err := t.Schema.Validate(args); err != nil {
		field, reason := schemaReason(err)
		return nil, field, errors.New(reason)
	}
	return args, "", nil
}

// decodeObject decodes exactly one JSON object, keeping numbers exact.
func decodeObject(text string) (map[string]any, error) {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("not an object")
	}
	return obj, nil
}

// repairTypes gives a scalar the type its parameter has: models write 3 for "3"
// and the reverse, and asking again costs a round. null is a parameter left out.
func repairTypes(t *harness.Tool, args map[string]any) {
	for name, v := range args {
		p, ok := t.Schema.Properties[name]
		if v == nil {
			delete(args, name)
			continue
		}
		if !ok || p.Types == nil {
			continue
		}
		types := p.Types.ToStrings()
		switch v := v.(type) {
		case json.Number:
			if slices.Contains(types, "string") && !slices.Contains(types, "number") && !slices.Contains(types, "integer") {
				args[name] = v.String()
			}
		case string:
			if n := json.Number(strings.TrimSpace(v)); !slices.Contains(types, "string") && isNumber(n) {
				args[name] = n
			}
		}
	}
}

func isNumber(n json.Number) bool {
	_, err := n.Float64()
	return err == nil && json.Valid([]byte(n))
}

// schemaReason finds the parameter a validation error is about.
func schemaReason(err error) (field, reason string) {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return "", err.Error()
	}
	for len(v.Causes) > 0 {
		v = v.Causes[0]
	}
	field = strings.Join(v.InstanceLocation, ".")
	switch k := v.ErrorKind.(type) {
	case *kind.Required:
		field = strings.Join(append(slices.Clone(v.InstanceLocation), k.Missing[0]), ".")
		return field, fmt.Sprintf("%s is missing", strings.Join(k.Missing, ", "))
	case *kind.AdditionalProperties:
		field = k.Properties[0]
		return field, fmt.Sprintf("there is no parameter %s", strings.Join(k.Properties, ", "))
	case *kind.Type:
		return field, fmt.Sprintf("%s is a %s, want %s", field, k.Got, strings.Join(k.Want, " or "))
	case *kind.Pattern:
		return field, fmt.Sprintf("%s does not match %s", field, k.Want)
	}
	_, what, found := strings.Cut(v.Error(), "': ")
	if !found {
		what = v.Error()
	}
	return field, field + ": " + strings.TrimSpace(what)
}

// theirArgs gives the arguments the binding's names and drops the asker.
func theirArgs(t *harness.Tool, mine map[string]any) map[string]any {
	out := make(map[string]any, len(mine))
	for name, v := range mine {
		if name == t.Asker && t.Asker != "" {
			continue
		}
		if theirs := t.Binding.Params[name]; theirs != "" {
			name = theirs
		}
		out[name] = v
	}
	return out
}

func theirTool(t *harness.Tool) string {
	if t.Binding.Tool != "" {
		return t.Binding.Tool
	}
	return t.Name
}

// askerOf is the danmaku whose viewer a call concerns: the one named by the
// tool's asker parameter, else the run's only viewer's. A tool that is neither
// private nor a write needs none.
func askerOf(run *Run, t *harness.Tool, mine map[string]any) (Asker, error) {
	if id, _ := mine[t.Asker].(string); t.Asker != "" && id != "" {
		i := slices.IndexFunc(run.Askers, func(a Asker) bool { return string(a.DanmakuID) == id })
		if i < 0 {
			return Asker{}, fmt.Errorf("%s %q is not a danmaku of this run", t.Asker, id)
		}
		return run.Askers[i], nil
	}
	if len(run.Askers) == 0 {
		return Asker{}, nil
	}
	first := run.Askers[0]
	several := slices.ContainsFunc(run.Askers, func(a Asker) bool { return a.ViewerID != first.ViewerID }) ||
		len(run.Askers) > 1 && first.ViewerID.Anonymous()
	if !several {
		return first, nil
	}
	if t.Private || t.Write {
		return Asker{}, fmt.Errorf("several viewers ask; say whose danmaku is meant (%s)", t.Asker)
	}
	return Asker{}, nil
}

// meta is what the run tells a server beside the arguments.
func meta(run *Run, t *harness.Tool, asker Asker, mine map[string]any) map[string]any {
	m := map[string]any{"livehost/room_id": string(run.RoomID), "livehost/merchant_id": string(run.MerchantID)}
	if asker.ViewerID != "" {
		m["livehost/viewer_id"] = string(asker.ViewerID)
	}
	if t.Write {
		m["livehost/idempotency_key"] = writeKey(t, asker, mine)
	}
	return m
}

// writeKey is the idempotency key of a write: danmaku, tool, canonical arguments.
func writeKey(t *harness.Tool, asker Asker, mine map[string]any) string {
	args := theirArgs(t, mine)
	canonical, _ := json.Marshal(args) // decoded JSON: sorted keys, exact numbers
	var b bytes.Buffer
	fmt.Fprintf(&b, "%q %q %s", asker.DanmakuID, theirTool(t), canonical)
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:16])
}
