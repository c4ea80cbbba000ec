package main

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
)

// filledAIBOM has a value in every field that is a pointer, a slice or a map.
func filledAIBOM() *v1beta1.AIBOM {
	now := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	controller := true
	return &v1beta1.AIBOM{
		TypeMeta: metav1.TypeMeta{APIVersion: "aibom.k8saibom.dev/v1beta1", Kind: "AIBOM"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       "models",
			Name:            "apps-deployment-vllm",
			ResourceVersion: "7",
			Labels:          map[string]string{v1beta1.LabelRuntime: "vllm"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "Deployment", Name: "vllm", UID: "1", Controller: &controller,
			}},
		},
		Spec: v1beta1.AIBOMSpec{
			WorkloadRef:    v1beta1.WorkloadReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "vllm"},
			BOMFormat:      "CycloneDX",
			BOMSpecVersion: "1.6",
		},
		Status: v1beta1.AIBOMStatus{
			ObservedGeneration: 3,
			Summary: v1beta1.Summary{
				Models: []v1beta1.ModelSummary{{Identity: "org/model", Source: "container_arg"}},
				Images: []string{"vllm/vllm-openai:v0.9.0"},
			},
			BOMDocument: v1beta1.BOMDocument{
				Inline:   &v1beta1.InlineDocument{Data: []byte("{}")},
				External: &v1beta1.ExternalDocument{Sink: "archive"},
			},
			Conditions: []metav1.Condition{
				{Type: v1beta1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonBOMGenerated, LastTransitionTime: now},
				{Type: v1beta1.ConditionSynced, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonCRDStatusOnly, LastTransitionTime: now},
			},
			LastReconciled: &now,
		},
	}
}

func TestDeepCopy_sharesNothing(t *testing.T) {
	original := filledAIBOM()
	copied := original.DeepCopyObject().(*v1beta1.AIBOM)
	if !equality.Semantic.DeepEqual(copied, original) {
		t.Fatalf("the copy differs:\n%+v\n%+v", copied, original)
	}
	if !meta.IsStatusConditionTrue(copied.Status.Conditions, v1beta1.ConditionReady) {
		t.Errorf("conditions of the copy: %+v", copied.Status.Conditions)
	}

	later := metav1.NewTime(original.Status.LastReconciled.Add(time.Hour))
	meta.SetStatusCondition(&copied.Status.Conditions, metav1.Condition{
		Type: v1beta1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonBuildFailed, LastTransitionTime: later,
	})
	copied.Labels[v1beta1.LabelRuntime] = "changed"
	*copied.OwnerReferences[0].Controller = false
	copied.Status.Summary.Models[0].Identity = "changed"
	copied.Status.Summary.Images[0] = "changed"
	copied.Status.BOMDocument.Inline.Data[0] = 'x'
	copied.Status.BOMDocument.External.Sink = "changed"
	copied.Status.LastReconciled.Time = later.Time

	if untouched := filledAIBOM(); !equality.Semantic.DeepEqual(original, untouched) {
		t.Errorf("a change of the copy reached the original:\n%+v\n%+v", original, untouched)
	}
}
