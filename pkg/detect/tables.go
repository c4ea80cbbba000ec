package detect

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

//go:embed images.yaml programs.yaml variables.yaml
var dataFiles embed.FS

// ruleTables are the parsed data files. They are built once and never change.
type ruleTables struct {
	images   imagesFile
	programs programsFile
	vars     variablesFile

	starts   *startIndex
	wrappers map[string][]*wrapper
	byID     map[string]*program
	idle     map[string]bool
	neutral  map[string]bool

	// vague are the runtimes whose category is a guess.
	vague map[string]bool

	// read holds the variables whose values or presence the rules read.
	read          map[string]bool
	services      map[string]serviceVariable
	frameworks    map[string]*framework
	accelerators  globs
	notAccel      globs
	productLabels globs
	infra         globs
	genericNIM    globs
}

type variablesFile struct {
	Models          []string          `yaml:"models"`
	Aliases         map[string]string `yaml:"aliases"`
	OtherHubs       []string          `yaml:"otherHubs"`
	Storage         []string          `yaml:"storage"`
	Services        []*aiService      `yaml:"services"`
	Frameworks      []*framework      `yaml:"frameworks"`
	Accelerators    []string          `yaml:"accelerators"`
	NotAccelerators []string          `yaml:"notAccelerators"`
	ProductLabels   []string          `yaml:"productLabels"`
	ModelPaths      []string          `yaml:"modelPaths"`
	DatasetPaths    []string          `yaml:"datasetPaths"`
	DatasetWords    []string          `yaml:"datasetWords"`
}

// framework is a framework that telemetry or configuration variables show.
type framework struct {
	Runtime  string            `yaml:"runtime"`
	Category evidence.Category `yaml:"category"`
	Names    []string          `yaml:"names"`
}

// tables returns the built-in tables. The data is compiled in, so an error in it is
// a fault of the program.
var tables = sync.OnceValue(func() *ruleTables {
	t, err := loadTables()
	if err != nil {
		panic("detect: built-in rules: " + err.Error())
	}
	return t
})

func loadTables() (*ruleTables, error) {
	t := &ruleTables{}
	for _, f := range []struct {
		name string
		into any
	}{{"images.yaml", &t.images}, {"programs.yaml", &t.programs}, {"variables.yaml", &t.vars}} {
		data, err := dataFiles.ReadFile(f.name)
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(data, f.into); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if err := t.indexPrograms(); err != nil {
		return nil, fmt.Errorf("programs.yaml: %w", err)
	}
	t.infra = newGlobs(t.images.Infrastructure)
	t.genericNIM = newGlobs(t.images.GenericNIM)
	t.accelerators = newGlobs(t.vars.Accelerators)
	t.notAccel = newGlobs(t.vars.NotAccelerators)
	t.productLabels = newGlobs(t.vars.ProductLabels)
	if err := t.indexImages(); err != nil {
		return nil, fmt.Errorf("images.yaml: %w", err)
	}
	t.indexVariables()
	return t, nil
}

// indexVariables collects every variable that some rule reads.
func (t *ruleTables) indexVariables() {
	t.read = map[string]bool{}
	t.services = map[string]serviceVariable{}
	t.frameworks = map[string]*framework{}
	add := func(names ...string) {
		for _, n := range names {
			t.read[n] = true
		}
	}
	add(t.vars.Models...)
	add(t.vars.OtherHubs...)
	add(t.vars.Storage...)
	for _, s := range t.vars.Services {
		for _, n := range s.Keys {
			t.services[n] = serviceVariable{s, true}
		}
		for _, n := range s.Endpoints {
			t.services[n] = serviceVariable{s, false}
		}
		add(s.Keys...)
		add(s.Endpoints...)
	}
	for _, f := range t.vars.Frameworks {
		for _, n := range f.Names {
			t.frameworks[n] = f
		}
		add(f.Names...)
	}
	for _, p := range t.programs.Programs {
		for _, names := range p.Env {
			add(names...)
		}
	}
}

func (t *ruleTables) readsVariable(name string) bool { return t.read[name] }

// presenceOnly reports whether only the presence of a variable counts, not its value.
func (t *ruleTables) presenceOnly(name string) bool {
	s, service := t.services[name]
	return t.frameworks[name] != nil || service && s.key
}

func (t *ruleTables) isAccelerator(resource string) bool {
	if _, ok := t.accelerators.match(resource); !ok {
		return false
	}
	_, not := t.notAccel.match(resource)
	return !not
}

func (t *ruleTables) isProductLabel(key string) bool {
	_, ok := t.productLabels.match(key)
	return ok
}

// isOtherHub reports whether a variable with that value switches to another hub.
func (t *ruleTables) isOtherHub(name, value string) bool {
	return slices.Contains(t.vars.OtherHubs, name) &&
		slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(value))
}

func (t *ruleTables) unconditionalModel(name string) bool {
	return slices.Contains(t.vars.Models, name)
}
