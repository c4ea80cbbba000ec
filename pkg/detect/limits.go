package detect

// Limits of what is read from one pod template. They are far above what people
// write and keep a hostile object from costing more than milliseconds. Whatever
// is cut is said in a note.
const (
	// maxContainers is the number of containers read, of each list.
	maxContainers = 200
	// maxEnv is the number of environment variables read, per container.
	maxEnv = 10_000
	// maxEnvValue is the length of a kept value of a variable, in bytes.
	maxEnvValue = 32 << 10
	// maxWords is the number of elements read of command and args together, per container.
	maxWords = 4_000
	// maxWordBytes is the length of command and args together, in bytes, per container.
	maxWordBytes = 256 << 10
	// maxShellBytes is the length of one shell script that is parsed.
	maxShellBytes = 64 << 10
	// maxExpandedBytes is the length of command and args after the expansion of variables.
	maxExpandedBytes = 256 << 10
	// maxMounts is the number of volumes, and of mounts per container, that are read.
	maxMounts = 1_000
	// maxAnnotationValue is the length of a model annotation's value, in bytes.
	maxAnnotationValue = 4 << 10
	// maxModelAnnotations is the number of model annotations read.
	maxModelAnnotations = 200
	// maxImageLength is the length of an image reference; longer ones cannot be pulled.
	maxImageLength = 4 << 10
	// maxModelLength is the length of a model's identity; longer text is no identity.
	maxModelLength = 2 << 10
	// maxShellDepth is how deep shells are followed that start shells.
	maxShellDepth = 4
	// maxNesting is how many parentheses and braces may be open in a script.
	maxNesting = 200
	// maxInvocations is the number of program starts read, per container.
	maxInvocations = 500
	// maxNotes is the number of notes kept, per template.
	maxNotes = 200
)
