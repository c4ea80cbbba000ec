package detect

import "k8saibom.dev/k8s-aibom/pkg/evidence"

// readAccelerators returns what the template's pods ask for.
func readAccelerators(t *PodTemplate) []evidence.Accelerator {
	var out []evidence.Accelerator
	add := func(name, quantity string, ref evidence.ContainerRef, source evidence.Source, locator string) {
		out = append(out, evidence.Accelerator{
			Resource: name, Quantity: quantity, Container: ref,
			Evidence: evidence.Evidence{Confidence: evidence.Declared, Source: source, Locator: locator},
		})
	}
	used := map[string]bool{}
	for i := range t.containers {
		c := &t.containers[i]
		ref := evidence.ContainerRef{Role: t.Role, Name: c.name}
		for _, r := range c.resources {
			add(r.name, r.quantity, ref, evidence.ResourceRequest, c.path+".resources."+r.list+"["+r.name+"]")
		}
		for _, claim := range c.claims {
			used[claim.name] = true
			add(t.claimSource(claim.name), claim.request, ref, evidence.ResourceClaim, c.path+".resources.claims["+itoa(claim.index)+"]("+claim.name+")")
		}
	}
	pod := evidence.ContainerRef{Role: t.Role}
	for _, claim := range t.claims {
		if !used[claim.name] {
			add(t.claimSource(claim.name), "", pod, evidence.ResourceClaim, t.specPath("resourceClaims["+itoa(claim.index)+"]")+"("+claim.name+")")
		}
	}
	for _, s := range t.selectors {
		add(s.key, s.value, pod, evidence.NodeSelector, s.locator)
	}
	return out
}

// claimSource names a device claim: by its template or claim, else by its own name.
func (t *PodTemplate) claimSource(name string) string {
	for _, c := range t.claims {
		if c.name == name && c.source != "" {
			return c.source
		}
	}
	return name
}
