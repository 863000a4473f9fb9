package hook

import (
	"maps"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"livehost/agentworker/guardrail"
)

// keys tells the compiler what the variables hold. Were they maps of anything, a
// mistyped key would compile, and at every danmaku of a show the hook would be broken;
// a comparison of a number with a text would be false for ever.
type keys struct {
	*types.Registry
	of map[string]map[string]*cel.Type // by variable, which is the name of its type too
}

// environment is what conditions are compiled in. The types are those of a real
// activation, so that a condition can name exactly what it will see.
func environment() (*cel.Env, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	k := keys{Registry: registry, of: map[string]map[string]*cel.Type{}}
	opts := []cel.EnvOption{cel.CustomTypeProvider(k)}
	for name, v := range (Vars{}).activation(&guardrail.Input{}) {
		k.of[name] = map[string]*cel.Type{}
		for key, v := range v.(map[string]any) {
			k.of[name][key] = typeOf(v)
		}
		opts = append(opts, cel.Variable(name, cel.ObjectType(name)))
	}
	return cel.NewEnv(opts...)
}

func typeOf(v any) *cel.Type {
	switch v.(type) {
	case string:
		return cel.StringType
	case bool:
		return cel.BoolType
	case int, int64:
		return cel.IntType
	case []string:
		return cel.ListType(cel.StringType)
	default:
		return cel.DynType
	}
}

// FindStructType implements types.Provider.
func (k keys) FindStructType(name string) (*types.Type, bool) {
	if k.of[name] == nil {
		return k.Registry.FindStructType(name)
	}
	return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
}

// FindStructFieldNames implements types.Provider.
func (k keys) FindStructFieldNames(name string) ([]string, bool) {
	if k.of[name] == nil {
		return k.Registry.FindStructFieldNames(name)
	}
	return slices.Sorted(maps.Keys(k.of[name])), true
}

// FindStructFieldType implements types.Provider.
func (k keys) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if k.of[name] == nil {
		return k.Registry.FindStructFieldType(name, field)
	}
	t, ok := k.of[name][field]
	return &types.FieldType{Type: t}, ok
}
