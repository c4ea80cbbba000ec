// Package registry answers for the resource aiboms: it turns what the inventory
// holds into Kubernetes objects, lists, tables, watch events and raw documents.
package registry

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
)

const (
	bomFormat      = "CycloneDX"
	bomSpecVersion = "1.6"
	// maxNotesInMessage bounds the malformed parts that a condition names.
	maxNotesInMessage = 10
)

// uidSpace is the UUIDv5 namespace of the UIDs of AIBOMs.
var uidSpace = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("aibom.k8saibom.dev"))

// Limits are the thresholds that decide which form a document takes in its object.
type Limits struct {
	// InlineThreshold is the size in bytes up to which a document stands inside its AIBOM.
	InlineThreshold int64
}

// object makes the AIBOM of an entry. Kind and version are the encoder's work: items of a list
// have none, as everywhere in Kubernetes. The result belongs to the caller, but for
// the document's bytes and the summary's lists, which nobody may change.
func object(e *inventory.Entry, limits Limits) *v1beta1.AIBOM {
	controller := true
	a := &v1beta1.AIBOM{
		ObjectMeta: metav1.ObjectMeta{
			Name:              e.Name,
			Namespace:         e.Namespace,
			UID:               types.UID(uuid.NewSHA1(uidSpace, []byte(e.Workload.UID)).String()),
			ResourceVersion:   e.Revision.String(),
			Generation:        e.Generation,
			CreationTimestamp: metav1.NewTime(e.Created),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: e.Workload.APIVersion(),
				Kind:       e.Workload.Kind,
				Name:       e.Workload.Name,
				UID:        types.UID(e.Workload.UID),
				Controller: &controller,
			}},
		},
		Spec: v1beta1.AIBOMSpec{
			WorkloadRef: v1beta1.WorkloadReference{
				APIVersion: e.Workload.APIVersion(), Kind: e.Workload.Kind, Name: e.Workload.Name,
			},
			BOMFormat:      bomFormat,
			BOMSpecVersion: bomSpecVersion,
		},
		Status: v1beta1.AIBOMStatus{
			ObservedGeneration: e.Generation,
			Summary: v1beta1.Summary{
				Workload: v1beta1.WorkloadSummary{
					APIVersion: e.Workload.APIVersion(), Kind: e.Workload.Kind,
					Namespace: e.Workload.Namespace, Name: e.Workload.Name,
				},
			},
		},
	}
	if !e.Timestamp.IsZero() {
		reconciled := metav1.NewTime(e.Timestamp)
		a.Status.LastReconciled = &reconciled
	}
	if e.Document != nil {
		setDocument(&a.Status, e.Document, limits)
	}
	if e.Stale != nil {
		a.Status.ConsecutiveErrors = e.Stale.Failures
	}
	a.Labels = labelsOf(a)
	a.Status.Conditions = conditions(e)
	return a
}

func setDocument(status *v1beta1.AIBOMStatus, d *bom.Document, limits Limits) {
	s := &status.Summary
	s.Workload.Category = v1beta1.Category(d.Summary.Category)
	s.Runtime = v1beta1.RuntimeSummary{
		Name:       d.Summary.Runtime.Name,
		Version:    d.Summary.Runtime.Version,
		Confidence: v1beta1.Confidence(d.Summary.Runtime.Confidence),
	}
	for _, m := range d.Summary.Models {
		s.Models = append(s.Models, v1beta1.ModelSummary{
			Identity:   m.Identity,
			Source:     string(m.Source),
			Confidence: v1beta1.Confidence(m.Confidence),
			Signed:     v1beta1.SignedState(m.Signed),
		})
	}
	s.Images = d.Summary.Images
	s.Confidence = v1beta1.Confidence(d.Summary.Confidence)
	status.InputHash = d.InputHash
	status.BOMHash = d.SHA256
	status.BOMDocument = v1beta1.BOMDocument{
		Format: bomFormat, SpecVersion: bomSpecVersion,
		SHA256: d.SHA256, Size: int64(len(d.Bytes)),
	}
	if int64(len(d.Bytes)) <= limits.InlineThreshold {
		status.BOMDocument.Inline = &v1beta1.InlineDocument{Data: d.Bytes}
		return
	}
	status.BOMDocument.Truncated = true
	status.BOMDocument.TruncationReason = fmt.Sprintf(
		"the document has %d bytes, more than the inline threshold of %d bytes, and no external sink is configured; read it from the subresource document",
		len(d.Bytes), limits.InlineThreshold)
}

// conditions derives the conditions of an entry. Their times are those of the
// facts, never of the request, so that every replica says the same.
func conditions(e *inventory.Entry) []metav1.Condition {
	at := metav1.NewTime(e.Timestamp)
	if e.Timestamp.IsZero() {
		at = metav1.NewTime(e.Created)
	}
	condition := func(kind string, status metav1.ConditionStatus, reason, message string, since metav1.Time) metav1.Condition {
		return metav1.Condition{
			Type: kind, Status: status, ObservedGeneration: e.Generation,
			LastTransitionTime: since, Reason: reason, Message: message,
		}
	}
	ready := condition(v1beta1.ConditionReady, metav1.ConditionTrue, v1beta1.ReasonBOMGenerated, readyMessage(e), at)
	if e.Problem != nil {
		ready.Status, ready.Message, ready.Reason = metav1.ConditionFalse, e.Problem.Message, v1beta1.ReasonScrapeFailed
		if e.Problem.Kind == inventory.BuildProblem {
			ready.Reason = v1beta1.ReasonBuildFailed
		}
	}
	stale := condition(v1beta1.ConditionStale, metav1.ConditionFalse, v1beta1.ReasonBOMGenerated, "the view of the workload is current", at)
	if e.Stale != nil {
		stale = condition(v1beta1.ConditionStale, metav1.ConditionTrue, v1beta1.ReasonWatchFailing,
			fmt.Sprintf("the last %d attempts to list or watch %s failed: %s", e.Stale.Failures, e.Stale.Kind, e.Stale.Message),
			metav1.NewTime(e.Stale.Since))
	}
	return []metav1.Condition{
		ready,
		condition(v1beta1.ConditionSynced, metav1.ConditionTrue, v1beta1.ReasonCRDStatusOnly, "no sink is configured", at),
		condition(v1beta1.ConditionSinkFailed, metav1.ConditionFalse, v1beta1.ReasonAllSinksOK, "no sink is configured", at),
		stale,
	}
}

func readyMessage(e *inventory.Entry) string {
	if len(e.Notes) == 0 {
		return "the document was built"
	}
	parts := make([]string, 0, len(e.Notes))
	for _, note := range e.Notes[:min(maxNotesInMessage, len(e.Notes))] {
		parts = append(parts, note.Locator+": "+note.Message)
	}
	message := "the document was built without the parts that could not be read: " + strings.Join(parts, "; ")
	if more := len(e.Notes) - maxNotesInMessage; more > 0 {
		message += fmt.Sprintf("; and %d more", more)
	}
	return message
}

var notInLabels = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// labelsOf returns the labels by which AIBOMs are selected. Their values are always valid.
func labelsOf(a *v1beta1.AIBOM) map[string]string {
	labels := map[string]string{v1beta1.LabelWorkloadKind: labelValue(a.Spec.WorkloadRef.Kind)}
	if v := labelValue(a.Status.Summary.Runtime.Name); v != "" {
		labels[v1beta1.LabelRuntime] = v
	}
	if v := labelValue(string(a.Status.Summary.Workload.Category)); v != "" {
		labels[v1beta1.LabelCategory] = v
	}
	return labels
}

func labelValue(s string) string {
	const maxLabel = 63
	s = notInLabels.ReplaceAllString(s, "_")
	if len(s) > maxLabel {
		s = s[:maxLabel]
	}
	return strings.Trim(s, "._-")
}
