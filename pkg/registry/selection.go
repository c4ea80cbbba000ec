package registry

import (
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
)

// selection is the predicate that list, initial events and live events share.
type selection struct {
	namespace string // empty: all
	name      string // empty: all
	labels    labels.Selector
	fields    fields.Selector
	limits    Limits
}

func newSelection(namespace string, options *internalversion.ListOptions, limits Limits) selection {
	s := selection{namespace: namespace, labels: labels.Everything(), fields: fields.Everything(), limits: limits}
	if options == nil {
		return s
	}
	if options.LabelSelector != nil {
		s.labels = options.LabelSelector
	}
	if options.FieldSelector != nil {
		s.fields = options.FieldSelector
		if name, ok := s.fields.RequiresExactMatch(v1beta1.FieldName); ok {
			s.name = name
		}
		if ns, ok := s.fields.RequiresExactMatch(v1beta1.FieldNamespace); ok && s.namespace == "" {
			s.namespace = ns
		}
	}
	return s
}

// selectsAll says whether everything of the namespace matches.
func (s selection) selectsAll() bool { return s.labels.Empty() && s.fields.Empty() }

// object returns the AIBOM of an entry, and nil if the entry does not match.
func (s selection) object(e *inventory.Entry) *v1beta1.AIBOM {
	if e == nil || s.namespace != "" && e.Namespace != s.namespace || s.name != "" && e.Name != s.name {
		return nil
	}
	a := object(e, s.limits)
	if !s.labels.Empty() && !s.labels.Matches(labels.Set(a.Labels)) {
		return nil
	}
	if !s.fields.Empty() && !s.fields.Matches(v1beta1.SelectableFields(a)) {
		return nil
	}
	return a
}
