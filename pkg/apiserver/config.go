package apiserver

import (
	"context"
	"fmt"
	"net"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/generated/openapi"
	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/source"
	"k8saibom.dev/k8s-aibom/pkg/version"
)

// Source keeps an inventory current until its context ends.
type Source interface {
	Run(ctx context.Context) error
}

// Config is everything that a Server is made of.
type Config struct {
	Generic   *genericapiserver.Config
	Inventory *inventory.Inventory
	Source    Source
	Clock     clock.WithTicker
	recorder  *recorder
	// announce is called when the port is open; optional.
	announce func()
	// cleanUp is called after the server has ended; optional.
	cleanUp func()
}

// Config makes the configuration of a server from valid options.
func (o *Options) Config() (*Config, error) {
	generic := genericapiserver.NewConfig(codecs)
	generic.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	definitions := apiopenapi.NewDefinitionNamer(scheme)
	generic.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, definitions)
	generic.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, definitions)
	info := &spec.Info{InfoProps: spec.InfoProps{Title: "AIBOM", Version: version.Version()}}
	generic.OpenAPIConfig.Info, generic.OpenAPIV3Config.Info = info, info
	generic.EnableProfiling = false
	generic.GoawayChance = goawayChance
	generic.ShutdownDelayDuration = o.ShutdownDelay
	generic.ShutdownSendRetryAfter = !o.Standalone
	generic.ShutdownWatchTerminationGracePeriod = watchTerminationGrace
	generic.LongRunningFunc = genericfilters.BasicLongRunningRequestCheck(sets.NewString("watch"), sets.NewString())

	recorder := newRecorder()
	config := &Config{
		Generic:  generic,
		Clock:    clock.RealClock{},
		recorder: recorder,
		Inventory: inventory.New(inventory.Options{
			Recorder: recorder,
			Settings: &inventory.Settings{
				Rules:          detect.DefaultRules(),
				Tool:           bom.Tool{Name: bom.ToolName, Version: version.Version()},
				StaleThreshold: defaultStaleThreshold,
			},
		}),
	}
	if o.Standalone {
		return config, o.standalone(config)
	}
	return config, o.cluster(config)
}

// cluster completes the configuration of a server that reads a cluster.
func (o *Options) cluster(config *Config) error {
	client, err := o.clientConfig()
	if err != nil {
		return err
	}
	if err := o.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)}); err != nil {
		return fmt.Errorf("the serving certificate could not be made: %w", err)
	}
	if err := o.SecureServing.ApplyToConfig(config.Generic); err != nil {
		return fmt.Errorf("port %d cannot be served: %w", o.SecureServing.BindPort, err)
	}
	if err := o.Authentication.ApplyTo(&config.Generic.Authentication, config.Generic.SecureServing, config.Generic.OpenAPIConfig); err != nil {
		return fmt.Errorf("authentication cannot be delegated: %w", err)
	}
	if err := o.Authorization.ApplyTo(&config.Generic.Authorization); err != nil {
		return fmt.Errorf("authorization cannot be delegated: %w", err)
	}
	selector, err := labels.Parse(o.NamespaceSelector)
	if err != nil {
		return fmt.Errorf("--namespace-selector %q is no label selector: %w", o.NamespaceSelector, err)
	}
	config.Source, err = source.NewCluster(source.ClusterOptions{
		Config:               client,
		NamespaceSelector:    selector,
		Inventory:            config.Inventory,
		MaxWatchedNamespaces: o.MaxWatchedNamespaces,
	})
	return err
}

func (o *Options) clientConfig() (*rest.Config, error) {
	var config *rest.Config
	var err error
	if o.Kubeconfig == "" {
		config, err = rest.InClusterConfig()
	} else {
		config, err = clientcmd.BuildConfigFromFlags("", o.Kubeconfig)
	}
	if err != nil {
		return nil, fmt.Errorf("no cluster to read (give --kubeconfig, run in a pod, or use --standalone): %w", err)
	}
	config.UserAgent = strings.Join([]string{bom.ToolName, version.Version()}, "/")
	// Start-up lists every kind in every namespace; the server bounds us, not a guess made here.
	config.QPS = -1
	return config, nil
}
