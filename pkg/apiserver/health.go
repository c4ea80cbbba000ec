package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"

	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// trust says that the certificate authorities of clients are loaded. Before they are,
// kube-apiserver itself would be taken for an anonymous client, and its users be refused.
func trust(info *genericapiserver.Config) healthz.HealthChecker {
	return healthz.NamedCheck("certificate-authorities-of-clients-are-loaded", func(*http.Request) error {
		if header := info.Authentication.RequestHeaderConfig; header != nil && len(header.CAContentProvider.CurrentCABundleContent()) == 0 {
			return errors.New("waiting for the requestheader-client-ca-file of ConfigMap kube-system/extension-apiserver-authentication")
		}
		if clients := info.SecureServing.ClientCA; clients != nil && len(clients.CurrentCABundleContent()) == 0 {
			return errors.New("waiting for the client-ca-file of ConfigMap kube-system/extension-apiserver-authentication")
		}
		return nil
	})
}

// readiness says that the first view of the cluster is complete. Once it was,
// it stays so: readiness does not follow the freshness of the data, since a
// server that is not ready holds up every namespace deletion of the cluster.
type readiness struct {
	inventory *inventory.Inventory
	complete  atomic.Bool
}

func (r *readiness) missing() []inventory.Awaited {
	if r.complete.Load() {
		return nil
	}
	missing := r.inventory.Missing()
	if len(missing) == 0 {
		r.complete.Store(true)
	}
	return missing
}

// checks are one for the list of namespaces and one for each kind. A failing /readyz
// tells the names of the checks and nothing else, so the names say what is missing.
func (r *readiness) checks() []healthz.HealthChecker {
	checks := []healthz.HealthChecker{r.check("opted-in-namespaces-are-listed", workload.GroupKind{})}
	for _, kind := range workload.Kinds() {
		checks = append(checks, r.check(checkName(kind.Resource, kind.Group), kind.GroupKind))
	}
	return append(checks, r.check(checkName("pods", ""), workload.Pod))
}

func checkName(resource, group string) string {
	return strings.TrimSuffix(resource+"."+group, ".") + "-are-listed"
}

func (r *readiness) check(name string, kind workload.GroupKind) healthz.HealthChecker {
	return healthz.NamedCheck(name, func(*http.Request) error {
		for _, awaited := range r.missing() {
			if awaited.Kind == kind {
				return fmt.Errorf("waiting for %s", awaited)
			}
		}
		return nil
	})
}
