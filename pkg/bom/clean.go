package bom

// cleaned is an input whose strings may leave the process.
type cleaned struct {
	Input
	// redacted is true when something was redacted, shortened when a string was too long.
	redacted, shortened bool
}

func clean(in Input) cleaned {
	return cleaned{Input: in}
}
