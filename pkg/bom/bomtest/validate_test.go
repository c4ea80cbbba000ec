package bomtest

import "testing"

func TestValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		document string
		valid    bool
	}{
		"smallest document":     {`{"bomFormat":"CycloneDX","specVersion":"1.6","version":1}`, true},
		"unknown field":         {`{"bomFormat":"CycloneDX","specVersion":"1.6","nope":1}`, false},
		"missing spec version":  {`{"bomFormat":"CycloneDX"}`, false},
		"hash of a wrong size":  {`{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"type":"file","name":"x","hashes":[{"alg":"SHA-256","content":"abc"}]}]}`, false},
		"unknown license id":    {`{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"type":"file","name":"x","licenses":[{"license":{"id":"No-Such"}}]}]}`, false},
		"time in a wrong form":  {`{"bomFormat":"CycloneDX","specVersion":"1.6","metadata":{"timestamp":"yesterday"}}`, false},
		"endpoint that is none": {`{"bomFormat":"CycloneDX","specVersion":"1.6","services":[{"name":"x","endpoints":["http://[::1"]}]}`, false},
		"not JSON":              {`{`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Validate([]byte(tc.document)); (err == nil) != tc.valid {
				t.Errorf("Validate = %v, want valid: %t", err, tc.valid)
			}
		})
	}
}
