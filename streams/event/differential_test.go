package event_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/streams/event"
)

// The codec is a third party's, chosen for its speed: what it makes of good and of broken
// records is held against encoding/json's.

// filled sets every field that is not an interface, slices and maps with two entries.
func filled(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				filled(v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			filled(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		filled(key, n)
		filled(value, n)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString([]string{"多少钱", "a\"\\\n<&>", "\u2028é😀", "x"}[*n%4])
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(*n)
	case reflect.Float64:
		v.SetFloat(float64(*n) / 4)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	}
}

func example[T event.Event](t testing.TB) []byte {
	t.Helper()
	var e T
	n := int64(0)
	filled(reflect.ValueOf(&e).Elem(), &n)
	var want bytes.Buffer
	std := json.NewEncoder(&want)
	std.SetEscapeHTML(false)
	if err := std.Encode(e); err != nil {
		t.Fatal(err)
	}
	got, err := event.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.TrimSuffix(want.String(), "\n"), string(got)); d != "" {
		t.Errorf("%s is encoded otherwise than by encoding/json (-want +got):\n%s", e.Topic(), d)
	}
	return bytes.Replace(got, []byte(`"schema":`), []byte(`"schema":1,"old_schema":`), 1)
}

// same decodes in all ways and compares.
func same[T event.Event](t testing.TB, in []byte) (decoded bool) {
	t.Helper()
	var want T
	wantErr := json.Unmarshal(in, &want)
	for name, decode := range map[string]func([]byte) (T, error){"Decode": event.Decode[T], "DecodeInPlace": event.DecodeInPlace[T]} {
		got, err := decode(in)
		refused := err != nil && strings.Contains(err.Error(), ": decode: ")
		if refused != (wantErr != nil) {
			t.Errorf("%s: %q: %v, want %v", name, in, err, wantErr)
		} else if d := cmp.Diff(want, got, cmp.AllowUnexported(want)); wantErr == nil && d != "" {
			t.Errorf("%s: %q (-encoding/json +ours):\n%s", name, in, d)
		}
	}
	return wantErr == nil
}

// pieces are what is put into records.
var pieces = []string{
	"null", "true", "0", "-0", "1.5", "1e3", "1e400", "9223372036854775808", `""`, `"\u0000"`, `"\ud83d"`, `"\ud83d\ude00"`, "\xff", "\xc3(", "\x00", "\\", "\"", "{", "}", "[", "]",
	",", ":", " ", "\n", "\t", `{"a":[{}]}`, "[[[[]]]]", `"schema":1,`, `"Schema":1,`, `"text":`, "é", "中",
}

func mutated(in []byte, r *rand.Rand) []byte {
	out := bytes.Clone(in)
	for range 1 + r.IntN(3) {
		at, piece := r.IntN(len(out)+1), pieces[r.IntN(len(pieces))]
		end := min(len(out), at+r.IntN(4))
		switch r.IntN(4) {
		case 0: // put in
			end = at
		case 1: // cut out
			piece = ""
		case 2: // cut off
			end, piece = len(out), ""
		}
		out = append(append(bytes.Clone(out[:at]), piece...), out[end:]...)
	}
	return out
}

func differs[T event.Event](t *testing.T) {
	var e T
	t.Run(e.Topic(), func(t *testing.T) {
		t.Parallel()
		in, r, decoded := example[T](t), rand.New(rand.NewPCG(7, 7)), 0
		if !same[T](t, in) {
			t.Errorf("%s is not decoded", in)
		}
		const n = 1000
		for range n {
			if same[T](t, mutated(in, r)) {
				decoded++
			}
			if t.Failed() {
				return
			}
		}
		if decoded < n/100 || decoded > n/2 {
			t.Errorf("%d of %d mutated records are good: they try little", decoded, n)
		}
	})
}

func TestCodecIsEncodingJSON(t *testing.T) {
	t.Parallel()
	differs[event.Danmaku](t)
	differs[event.RoomEvent](t)
	differs[event.Order](t)
	differs[event.Window](t)
	differs[event.Exposure](t)
	differs[event.Reply](t)
	differs[event.Step](t)
	differs[event.GuardrailHit](t)
	differs[event.Delivery](t)
	differs[event.Outcome](t)
	differs[event.RoomState](t)
	differs[event.SpeechCue](t)
}

func FuzzDecode(f *testing.F) {
	f.Add(example[event.Danmaku](f))
	f.Add([]byte(`{"schema":1,"danmaku_id":"1","room_id":"r","text":"a","platform_time_ms":5}`))
	f.Fuzz(func(t *testing.T, in []byte) { same[event.Danmaku](t, in) })
}
