package architecture

import (
	"maps"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

const permissionsFile = "artifacts/deploy/20-rbac.yaml"

// clusterRoles reads the ClusterRoles of the plain manifests, by name.
func clusterRoles(t *testing.T) map[string][]rbacv1.PolicyRule {
	t.Helper()
	roles := map[string][]rbacv1.PolicyRule{}
	for document := range strings.SplitSeq(readFile(t, permissionsFile), "\n---\n") {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		if role.Kind == "ClusterRole" {
			roles[role.Name] = role.Rules
		}
	}
	return roles
}

// permissions writes each rule out as resource.group: verbs.
func permissions(rules []rbacv1.PolicyRule) map[string]string {
	flat := map[string]string{}
	for _, rule := range rules {
		verbs := strings.Join(slices.Sorted(slices.Values(rule.Verbs)), " ")
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				flat[strings.TrimSuffix(resource+"."+group, ".")] += verbs
			}
		}
		for _, url := range rule.NonResourceURLs {
			flat[url] += verbs
		}
	}
	return flat
}

// The server may read what it follows, and nothing else.
func TestPermissions_areThoseOfTheKinds(t *testing.T) {
	const read = "get list watch"
	want := map[string]string{"namespaces": read, "pods": read}
	for _, kind := range workload.Kinds() {
		want[strings.TrimSuffix(kind.Resource+"."+kind.Group, ".")] = read
	}
	roles := clusterRoles(t)
	if got := permissions(roles["k8s-aibom"]); !maps.Equal(got, want) {
		t.Errorf("%s: the server may\n%v\nit should\n%v", permissionsFile, got, want)
	}
	want = map[string]string{"aiboms.aibom.k8saibom.dev": read, "aiboms/document.aibom.k8saibom.dev": "get"}
	if got := permissions(roles["aibom-viewer"]); !maps.Equal(got, want) {
		t.Errorf("%s: a viewer may\n%v\nit should\n%v", permissionsFile, got, want)
	}
}
