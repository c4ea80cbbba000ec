// Package detect reads pod templates: it turns one template, and what its pods
// report, into the facts of package evidence.
//
// The package is pure. It knows no Kubernetes client, no clock and no randomness;
// equal inputs give equal facts. What it recognises is data: images.yaml,
// programs.yaml and variables.yaml hold the rules together with inputs that they
// must and must not match, and a test runs each file against itself.
//
// [ReadPodTemplate] makes a compact record when an object is ingested, so that the
// object need not be kept. [Rules.Detect] reads the record. [Merge] joins the facts
// of a workload's templates with what its kind declares, and [Finish] decides what
// only the whole can tell: the category and the order.
package detect
