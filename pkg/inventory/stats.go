package inventory

// Stats are the sizes of the inventory.
type Stats struct {
	Namespaces, Objects, Entries, Changes, Watchers int
	// ByKind counts the entries that are published by category and runtime.
	ByKind map[[2]string]int
}

// Stats counts what is held now. It computes nothing.
func (i *Inventory) Stats() Stats {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := Stats{
		Namespaces: len(i.namespaces), Entries: i.entries.Len(),
		Changes: len(i.log.changes), Watchers: i.log.watchers, ByKind: map[[2]string]int{},
	}
	for _, ns := range i.namespaces {
		s.Objects += len(ns.objects)
	}
	i.entries.Ascend(func(e *Entry) bool {
		if e.Document != nil {
			s.ByKind[[2]string{string(e.Document.Summary.Category), e.Document.Summary.Runtime.Name}]++
		}
		return true
	})
	return s
}
