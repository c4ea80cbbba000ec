package bom

import (
	"fmt"
	"reflect"
	"testing"
)

// fill gives every string that stands in v a value of its own, and every list entries.
func fill(v reflect.Value, next func() string) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(next())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), next)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case reflect.Int:
		v.SetInt(1)
	}
}

func filled() (in Input, count int) {
	fill(reflect.ValueOf(&in).Elem(), func() string { count++; return fmt.Sprintf("value-%d", count) })
	return in, count
}

// A field that is added to the words of the domain and forgotten here would
// leave the process unredacted.
func TestWalk_visitsEveryString(t *testing.T) {
	in, count := filled()
	visited := map[string]bool{}
	walk(&in, func(_ any, s *string) { visited[*s] = true })
	for i := 1; i <= count; i++ {
		if name := fmt.Sprintf("value-%d", i); !visited[name] {
			t.Errorf("the string %s of a filled input is not visited: %+v", name, in)
		}
	}
}

func TestClean_leavesTheInputAlone(t *testing.T) {
	secret := secretFor("hf_", 34)
	make := func() (in Input) {
		fill(reflect.ValueOf(&in).Elem(), func() string { return "x " + secret + "\xff" })
		return in
	}
	in := make()
	mustBuild(t, in)
	if want := make(); !reflect.DeepEqual(in, want) {
		t.Error("Build changed its input")
	}
}
