// Package aibom names the API group of AI bills of materials.
package aibom

// GroupName is the API group of every resource of this product.
const GroupName = "aibom.k8saibom.dev"
