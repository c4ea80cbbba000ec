package inventory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

const (
	// maxPlainName is the length up to which a name is used as it is; a longer one ends in a hash.
	maxPlainName = 240
	// nameHashDigits is the number of hex digits that tell long or colliding names apart.
	nameHashDigits = 12
)

// Name returns the name of a workload's AIBOM:
// the group with its dots as dashes, the kind and the workload's name. The core group is left out.
func Name(gk workload.GroupKind, workloadName string) string {
	name := plainName(gk, workloadName)
	if len(name) > maxPlainName {
		return strings.TrimRight(name[:maxPlainName], "-.") + "-" + nameHash(gk, workloadName)
	}
	return name
}

// collidingName returns the name of the newer of two workloads that yield one name.
func collidingName(gk workload.GroupKind, workloadName string) string {
	name := plainName(gk, workloadName)
	if len(name) > maxPlainName {
		name = strings.TrimRight(name[:maxPlainName], "-.")
	}
	return name + "-" + nameHash(gk, workloadName)
}

func plainName(gk workload.GroupKind, workloadName string) string {
	name := strings.ToLower(gk.Kind) + "-" + workloadName
	if gk.Group != "" {
		name = strings.ToLower(strings.ReplaceAll(gk.Group, ".", "-")) + "-" + name
	}
	return name
}

func nameHash(gk workload.GroupKind, workloadName string) string {
	sum := sha256.Sum256([]byte(gk.Group + "/" + gk.Kind + "/" + workloadName))
	return hex.EncodeToString(sum[:])[:nameHashDigits]
}
