package inventory

import "time"

// Recorder is told what computing costs. Its methods are called without a lock held.
type Recorder interface {
	// Computed is called for each computed document with the time that it took and its size in bytes.
	Computed(took time.Duration, size int)
	// Served is called for each published change with the time from the change of the source to its publication.
	Served(delay time.Duration)
	// Reused is called for each read that needed no computation.
	Reused()
}

type noRecorder struct{}

func (noRecorder) Computed(time.Duration, int) {}
func (noRecorder) Served(time.Duration)        {}
func (noRecorder) Reused()                     {}
