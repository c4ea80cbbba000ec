package detect

import (
	"path"
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// joinClaims makes one claim of what is the same model: within a container, between
// a tool that fetches a model and the program that uses it, and between a local
// folder and what a tool loads into it.
func joinClaims(t *PodTemplate, claims []claim, fetched map[string]string) []evidence.Model {
	for i := range claims {
		identity, hubID := fetchedModel(t, &claims[i], claims, fetched)
		claims[i].local = identity != claims[i].Identity
		claims[i].Identity, claims[i].HubID = identity, hubID
	}
	var out []claim
	for _, c := range claims {
		i := slices.IndexFunc(out, func(o claim) bool {
			return sameClaim(&o.Model, &c.Model) && (o.Container == c.Container || o.tool || c.tool)
		})
		if i < 0 {
			out = append(out, c)
			continue
		}
		out[i] = joinClaim(out[i], c)
	}
	models := make([]evidence.Model, len(out))
	for i := range out {
		models[i] = out[i].Model
	}
	return models
}

// joinClaim makes one claim of two. The program that uses a model counts as its
// container, not the one that fetches it; it leads if it names the model itself.
func joinClaim(a, b claim) claim {
	if a.tool && !b.tool && !b.local {
		a, b = b, a
	}
	joined := claim{Model: joinModel(a.Model, b.Model), tool: a.tool && b.tool}
	if a.tool && !b.tool {
		joined.Container = b.Container
	} else if b.tool && !a.tool {
		joined.Container = a.Container
	}
	return joined
}

// fetchedModel returns the identity of a claim: of a local folder that a tool fills,
// it is what the tool fetches.
func fetchedModel(t *PodTemplate, c *claim, claims []claim, fetched map[string]string) (identity, hubID string) {
	if len(fetched) == 0 || c.tool || !strings.HasPrefix(c.Identity, "/") {
		return c.Identity, c.HubID
	}
	i := slices.IndexFunc(t.containers, func(o container) bool { return o.name == c.Container.Name })
	if i < 0 {
		return c.Identity, c.HubID
	}
	for folder := path.Clean(c.Identity); folder != "/" && folder != "."; folder = path.Dir(folder) {
		for _, key := range t.containers[i].places(folder) {
			name, ok := fetched[key]
			if !ok {
				continue
			}
			for _, o := range claims {
				if o.tool && o.Identity == name {
					return o.Identity, o.HubID
				}
			}
		}
	}
	return c.Identity, c.HubID
}

// sameClaim reports whether two claims name the same model in the same role.
func sameClaim(a, b *evidence.Model) bool {
	if a.Identity == "" || b.Identity == "" {
		return a.Identity == b.Identity && a.Locator == b.Locator && a.Role == b.Role
	}
	if a.Identity != b.Identity && (a.HubID == "" || a.HubID != b.HubID) {
		return false
	}
	if a.Revision != b.Revision && a.Revision != "" && b.Revision != "" {
		return false
	}
	return sameRole(a.Role, b.Role)
}

// sameRole takes the empty role for the roles that a main model can have, and a
// model's own tokenizer for the model.
func sameRole(a, b string) bool {
	main := func(r string) bool {
		return r == evidence.RoleEmbedding || r == evidence.RoleReranker || r == evidence.RoleTokenizer
	}
	return a == b || a == "" && main(b) || b == "" && main(a)
}

// joinModel makes one claim of two that are the same: the surer evidence leads, at
// equal confidence the earlier one.
func joinModel(a, b evidence.Model) evidence.Model {
	if b.Confidence.Rank() > a.Confidence.Rank() {
		a, b = b, a
	}
	if a.Revision == "" {
		a.Revision = b.Revision
	}
	if a.HubID == "" {
		a.HubID = b.HubID
	}
	switch {
	case a.Role == evidence.RoleTokenizer:
		a.Role = b.Role
	case a.Role == "" && b.Role != evidence.RoleTokenizer:
		a.Role = b.Role
	}
	if a.Container.Name == "" {
		a.Container = b.Container
	}
	a.ServedNames = union(a.ServedNames, b.ServedNames)
	a.Also = joinEvidence(a.Evidence, a.Also, append([]evidence.Evidence{b.Evidence}, b.Also...))
	return a
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// joinEvidence adds evidence that is not there yet.
func joinEvidence(primary evidence.Evidence, also, more []evidence.Evidence) []evidence.Evidence {
	out := slices.Clone(also)
	for _, e := range more {
		if e != primary && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}
