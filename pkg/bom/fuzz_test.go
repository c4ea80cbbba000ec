package bom

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
)

// FuzzBuild puts hostile strings into every field.
func FuzzBuild(f *testing.F) {
	for _, s := range [][2]string{
		{"", ""}, {"a", "b"}, {"\x00\x01\x1f\x7f", "\u2028\u2029\ufeff"}, {"\xff\xfe", "\xed\xa0\x80"}, {"<script>&amp;'\"", "\\u0000\\"},
		{"pkg:oci/x@y?z#w", "urn:cdx:a/1#b"}, {"a/b", "org/na me%2F:<>"}, {"http://[::1", "http://h/ %zz"}, {"https://u:p@h/x?sig=y", "Bearer aaaaaaaaaaaaaaaaaaaaa"},
		{digestOf("a"), commit}, {"sha256:zz", "sha512:" + commit}, {"::", "//"}, {"(", ")"},
	} {
		f.Add(s[0], s[1], uint8(3))
	}
	// Longer than a string, a version and a bom-ref may be.
	for turn := range uint8(4) {
		f.Add(strings.Repeat("v", maxVersion+1), strings.Repeat("é", MaxString), turn)
	}
	f.Fuzz(func(t *testing.T, a, b string, turn uint8) {
		in, n := Input{}, int(turn)
		fill(reflect.ValueOf(&in).Elem(), func() string {
			n++
			switch n % 4 {
			case 0:
				return a
			case 1:
				return b
			case 2:
				return a + "/" + b
			}
			return "sha256:" + a
		})
		d := mustBuild(t, in)
		if !utf8.Valid(d.Bytes) {
			t.Fatalf("invalid UTF-8: %q", d.Bytes)
		}
		bomtest.RequireValid(t, d.Bytes)
		checkGraph(t, decode(t, d.Bytes))
		if again := mustBuild(t, in); string(again.Bytes) != string(d.Bytes) {
			t.Fatal("the same input gives other bytes")
		}
	})
}

func FuzzRedact(f *testing.F) {
	for _, tc := range secrets {
		f.Add(tc.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean, changed := Redact(s)
		if changed != (clean != s) {
			t.Errorf("Redact(%q) says changed: %t, and gives %q", s, changed, clean)
		}
		if utf8.ValidString(s) && !utf8.ValidString(clean) {
			t.Errorf("Redact(%q) gives invalid UTF-8", s)
		}
	})
}
