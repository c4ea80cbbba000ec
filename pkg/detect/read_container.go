package detect

import (
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// container reads one container that stands at path.
func (r *reader) container(m map[string]any, path string, kind evidence.ContainerKind) {
	c := container{kind: kind, path: intern(path)}
	c.name = intern(r.text(m["name"], join(path, "name")))
	if policy, _ := m["restartPolicy"].(string); kind == evidence.Init && policy == "Always" {
		c.kind = evidence.Sidecar
	}
	c.image = r.text(m["image"], join(path, "image"))
	if len(c.image) > maxImageLength {
		r.note(join(path, "image"), "is longer than %d bytes and not read", maxImageLength)
		c.image = ""
	}
	c.image = intern(strings.TrimSpace(c.image))
	c.workingDir = intern(r.text(m["workingDir"], join(path, "workingDir")))
	r.commands(&c, m, path)
	r.environment(&c, m, path)
	r.mounts(&c, m, path)
	r.resources(&c, m["resources"], join(path, "resources"))
	r.t.containers = append(r.t.containers, c)
}

// commands reads command, args and the postStart hook within the limits.
func (r *reader) commands(c *container, m map[string]any, path string) {
	budget := wordBudget{words: maxWords, bytes: maxWordBytes}
	c.command = r.words(m["command"], join(path, "command"), &budget)
	c.args = r.words(m["args"], join(path, "args"), &budget)
	hooks, _ := r.object(m["lifecycle"], join(path, "lifecycle"))
	start, _ := r.object(hooks["postStart"], join(path, "lifecycle.postStart"))
	exec, _ := r.object(start["exec"], join(path, "lifecycle.postStart.exec"))
	c.postStart = r.words(exec["command"], join(path, postStartField), &budget)
}

// wordBudget is what may still be read of a container's command lines.
type wordBudget struct{ words, bytes int }

// words reads a list of strings. A single string in place of a list is read as a
// list of one. Elements are kept or cut whole, so that indices stay true.
func (r *reader) words(v any, path string, budget *wordBudget) []string {
	if s, ok := v.(string); ok {
		r.note(path, "is a string, not a list; read as its only element")
		v = []any{s}
	}
	list := r.list(v, path)
	if len(list) == 0 {
		return nil
	}
	words := make([]string, 0, min(len(list), budget.words))
	for i, e := range list {
		s := r.text(e, at(path, i))
		if budget.words == 0 || len(s) > budget.bytes {
			r.note(at(path, i), "the command line is longer than %d elements or %d bytes, the rest is not read", maxWords, maxWordBytes)
			break
		}
		budget.words--
		budget.bytes -= len(s)
		if len(s) < 64 {
			s = intern(s)
		}
		words = append(words, s)
	}
	return words
}

func (r *reader) mounts(c *container, m map[string]any, path string) {
	for i, e := range r.list(m["volumeMounts"], join(path, "volumeMounts")) {
		locator := at(join(path, "volumeMounts"), i)
		if i == maxMounts {
			r.note(locator, "more than %d mounts, the rest is not read", maxMounts)
			return
		}
		v, ok := r.object(e, locator)
		if !ok {
			continue
		}
		name := r.text(v["name"], join(locator, "name"))
		c.mounts = append(c.mounts, mount{
			index:   i,
			volume:  intern(name),
			path:    intern(r.text(v["mountPath"], join(locator, "mountPath"))),
			subPath: r.text(v["subPath"], join(locator, "subPath")),
			empty:   r.empty[name],
		})
	}
}

// resources reads the accelerators that the container asks for: from limits, else from requests.
func (r *reader) resources(c *container, v any, path string) {
	m, ok := r.object(v, path)
	if !ok {
		return
	}
	for _, list := range []string{"limits", "requests"} {
		quantities, _ := r.object(m[list], join(path, list))
		for _, name := range sortedKeys(quantities) {
			if !tables().isAccelerator(name) || slices.ContainsFunc(c.resources, func(q resource) bool { return q.name == name }) {
				continue
			}
			locator := join(path, list) + "[" + name + "]"
			if q := r.quantity(quantities[name], locator); q != "" && q != "0" && len(c.resources) < maxMounts {
				c.resources = append(c.resources, resource{name: intern(name), quantity: intern(q), list: list})
			}
		}
	}
	for i, e := range r.list(m["claims"], join(path, "claims")) {
		locator := at(join(path, "claims"), i)
		if claim, ok := r.object(e, locator); ok && i < maxMounts {
			c.claims = append(c.claims, containerClaim{
				index: i, name: r.text(claim["name"], join(locator, "name")), request: r.text(claim["request"], join(locator, "request")),
			})
		}
	}
}
