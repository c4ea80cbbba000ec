package apiserver

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/klog/v2"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/registry"
)

// Server serves the resource aiboms.
type Server struct {
	config  *Config
	generic *genericapiserver.GenericAPIServer
}

// New makes a server; it does not listen yet.
func New(config *Config) (*Server, error) {
	generic, err := config.Generic.Complete(nil).New(bom.ToolName, genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, fmt.Errorf("the API server could not be made: %w", err)
	}
	group := genericapiserver.NewDefaultAPIGroupInfo(v1beta1.SchemeGroupVersion.Group, scheme, parameterCodec, codecs)
	group.NegotiatedSerializer = withoutProtobuf{group.NegotiatedSerializer}
	limits := func() registry.Limits { return registry.Limits{InlineThreshold: defaultInlineThreshold} }
	aiboms := registry.NewAIBOMs(config.Inventory, limits, config.Clock)
	group.VersionedResourcesStorageMap[v1beta1.SchemeGroupVersion.Version] = map[string]rest.Storage{
		"aiboms":          aiboms,
		"aiboms/document": registry.NewDocument(aiboms),
	}
	if err := generic.InstallAPIGroup(&group); err != nil {
		return nil, fmt.Errorf("the group %s could not be installed: %w", v1beta1.SchemeGroupVersion.Group, err)
	}
	ready := &readiness{inventory: config.Inventory}
	if err := generic.AddReadyzChecks(append(ready.checks(), trust(config.Generic))...); err != nil {
		return nil, fmt.Errorf("the readiness checks could not be added: %w", err)
	}
	config.recorder.register(config.Inventory)
	return &Server{config: config, generic: generic}, nil
}

// Run serves until the context ends and every request has been answered. The
// port opens at once; what is not known yet is answered with 429 and a reason.
func (s *Server) Run(ctx context.Context) error {
	logger := klog.FromContext(ctx)
	// The source goes on while open requests are drained.
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	serving, fail := context.WithCancelCause(ctx)
	defer fail(nil)

	var workers sync.WaitGroup
	workers.Go(func() { s.config.Inventory.Run(working) })
	workers.Go(func() {
		if err := s.config.Source.Run(working); err != nil && working.Err() == nil {
			fail(err)
		}
	})
	if err := s.generic.AddPostStartHook("announce", func(genericapiserver.PostStartHookContext) error {
		if s.config.announce != nil {
			s.config.announce()
		}
		return nil
	}); err != nil {
		return fmt.Errorf("the start could not be prepared: %w", err)
	}
	logger.Info("Serving aiboms", "address", s.config.Generic.ExternalAddress)
	err := s.generic.PrepareRun().RunWithContext(serving)
	stop()
	workers.Wait()
	if s.config.cleanUp != nil {
		s.config.cleanUp()
	}
	if cause := context.Cause(serving); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}
