package detect

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// aiService is an AI service that variables show.
type aiService struct {
	Provider  string   `yaml:"provider"`
	Keys      []string `yaml:"keys"`
	Endpoints []string `yaml:"endpoints"`
	// Alone is true if a base URL shows the service without a key.
	Alone bool `yaml:"alone"`
	// Beside names the runtimes beside which the variables count. Empty: everywhere.
	Beside []string `yaml:"beside"`
}

// serviceVariable is what a variable says of a service: that there is a key, or where it is.
type serviceVariable struct {
	service *aiService
	key     bool
}

// readServices returns the services that the container's variables show.
func readServices(ref evidence.ContainerRef, c *container, env *environment, runtimes []evidence.Runtime) []evidence.Service {
	type found struct {
		keys, endpoints []*variable
	}
	byService := map[*aiService]*found{}
	var order []*aiService
	for i := range env.vars {
		v := &env.vars[i]
		sv, ok := tables().services[v.name]
		if !ok || env.lookup(v.name) != v || v.value == "" && v.from == "" && !v.withheld {
			continue
		}
		f := byService[sv.service]
		if f == nil {
			f = &found{}
			byService[sv.service] = f
			order = append(order, sv.service)
		}
		if sv.key {
			f.keys = append(f.keys, v)
		} else {
			f.endpoints = append(f.endpoints, v)
		}
	}
	var out []evidence.Service
	for _, s := range order {
		f := byService[s]
		if len(s.Beside) > 0 && !slices.ContainsFunc(runtimes, func(r evidence.Runtime) bool { return slices.Contains(s.Beside, r.Name) }) {
			continue
		}
		if svc, ok := service(s, ref, c, env, f.keys, f.endpoints); ok {
			out = append(out, svc)
		}
	}
	return out
}

func service(s *aiService, ref evidence.ContainerRef, c *container, env *environment, keys, endpoints []*variable) (evidence.Service, bool) {
	svc := evidence.Service{Provider: s.Provider, Container: ref}
	locate := func(v *variable) string { return c.path + ".env[" + itoa(v.index) + "](" + v.name + ")" }
	var seen []evidence.Evidence
	for _, v := range keys {
		if svc.KeyVar == "" {
			svc.KeyVar = v.name
		}
		seen = append(seen, evidence.Evidence{Confidence: evidence.Inferred, Source: evidence.EnvVarNamePresent, Locator: locate(v)})
	}
	for _, v := range endpoints {
		text, reason := env.resolve(v, 0)
		endpoint, inCluster, ok := readEndpoint(text)
		if reason != "" || !ok {
			continue
		}
		if svc.Endpoint == "" {
			svc.Endpoint, svc.InCluster = endpoint, inCluster
		}
		seen = append(seen, evidence.Evidence{Confidence: evidence.Declared, Source: evidence.EnvVar, Locator: locate(v)})
	}
	if len(keys) == 0 && (!s.Alone || svc.Endpoint == "") {
		return svc, false
	}
	svc.Evidence, svc.Also = seen[0], seen[1:]
	return svc, true
}

// readEndpoint returns the first base URL of a variable, and whether it is inside
// the cluster.
func readEndpoint(text string) (endpoint string, inCluster, ok bool) {
	endpoint, _, _ = strings.Cut(strings.TrimSpace(text), ";")
	endpoint, _, _ = strings.Cut(endpoint, ",")
	if endpoint == "" || placeholderPattern.MatchString(endpoint) {
		return "", false, false
	}
	full := endpoint
	if !strings.Contains(full, "://") {
		full = "http://" + full
	}
	u, err := url.Parse(full)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false, false
	}
	return endpoint, clusterHost(u.Hostname()), true
}

// clusterHost reports whether a host is a name or an address inside the cluster.
func clusterHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	labels := strings.Split(host, ".")
	switch {
	case len(labels) == 1, strings.HasSuffix(host, ".cluster.local"), labels[len(labels)-1] == "svc":
		return true
	}
	// name.namespace.svc.<another cluster domain>
	return len(labels) > 3 && labels[2] == "svc"
}
