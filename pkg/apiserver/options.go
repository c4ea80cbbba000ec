package apiserver

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register" // for --logging-format=json

	"k8saibom.dev/k8s-aibom/pkg/source"
)

const (
	// defaultPort is one of the two that firewalls between control plane and nodes commonly leave open.
	defaultPort = 10250
	// defaultStandalonePort is an unprivileged port that no common service uses.
	defaultStandalonePort = 8443
	// defaultShutdownDelay is how long the server goes on after it has been told to stop,
	// so that it is out of every list of endpoints before it refuses anything.
	defaultShutdownDelay = 8 * time.Second
	// watchTerminationGrace is how long open watches may take to end.
	watchTerminationGrace = 10 * time.Second
	// maxStreams is the number of concurrent requests on one connection: kube-apiserver uses few connections.
	maxStreams = 1000
	// goawayChance spreads the long-lived connections of kube-apiserver over the replicas.
	goawayChance = 0.001
	// defaultInlineThreshold is the size in bytes up to which a document stands inside its AIBOM.
	defaultInlineThreshold = 262144
	// defaultStaleThreshold is the number of failed attempts after which a kind is stale.
	defaultStaleThreshold = 3
	// DefaultNamespaceSelector selects the namespaces that are opted in.
	DefaultNamespaceSelector = source.OptInLabel + "=" + source.OptInValue
)

// Options are the command line of the server.
type Options struct {
	SecureServing  *genericoptions.SecureServingOptionsWithLoopback
	Authentication *genericoptions.DelegatingAuthenticationOptions
	Authorization  *genericoptions.DelegatingAuthorizationOptions
	Logs           *logs.Options

	// Kubeconfig is the cluster to read; empty means the one that the pod runs in.
	Kubeconfig string
	// NamespaceSelector selects the namespaces that are opted in.
	NamespaceSelector string
	// MaxWatchedNamespaces is the number of namespaces up to which each is watched on its own.
	MaxWatchedNamespaces int
	// ShutdownDelay is how long the server goes on after it has been told to stop.
	ShutdownDelay time.Duration

	// Standalone serves manifests instead of a cluster.
	Standalone bool
	// Manifests is the directory that is served standalone.
	Manifests string
	// withoutEffect are flags that were given and that --standalone does not read.
	withoutEffect []string

	// WriteKubeconfig is where the client configuration of the standalone server is written.
	WriteKubeconfig string
}

// NewOptions returns the defaults.
func NewOptions() *Options {
	o := &Options{
		SecureServing:        genericoptions.NewSecureServingOptions().WithLoopback(),
		Authentication:       genericoptions.NewDelegatingAuthenticationOptions(),
		Authorization:        genericoptions.NewDelegatingAuthorizationOptions(),
		Logs:                 logs.NewOptions(),
		NamespaceSelector:    DefaultNamespaceSelector,
		MaxWatchedNamespaces: source.DefaultMaxWatchedNamespaces,
		ShutdownDelay:        defaultShutdownDelay,
	}
	o.SecureServing.BindPort = defaultPort
	o.SecureServing.HTTP2MaxStreamsPerConnection = maxStreams
	// In-memory unless a directory is given: the root filesystem is read-only.
	o.SecureServing.ServerCert.CertDirectory = ""
	o.SecureServing.ServerCert.PairName = "aibom-apiserver"
	return o
}

// Flags returns the flags by topic.
func (o *Options) Flags() cliflag.NamedFlagSets {
	var sets cliflag.NamedFlagSets
	cluster := sets.FlagSet("cluster")
	cluster.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig, "Kubeconfig of the cluster that is read. Without it, the cluster that the pod runs in.")
	cluster.StringVar(&o.NamespaceSelector, "namespace-selector", o.NamespaceSelector, "Label selector of the namespaces that are inventoried.")
	cluster.IntVar(&o.MaxWatchedNamespaces, "max-watched-namespaces", o.MaxWatchedNamespaces, "Number of opted-in namespaces up to which each is watched on its own. Above it, kinds are watched cluster-wide and other namespaces' objects are dropped before they are stored.")
	cluster.DurationVar(&o.ShutdownDelay, "shutdown-delay-duration", o.ShutdownDelay, "How long the server goes on serving, not ready, after it has been told to stop.")
	standalone := sets.FlagSet("without a cluster")
	standalone.BoolVar(&o.Standalone, "standalone", o.Standalone, "Serve the manifests of a directory on the loopback address instead of a cluster.")
	standalone.StringVar(&o.Manifests, "manifests", o.Manifests, "Directory of YAML and JSON manifests that --standalone serves; changes of its files are followed.")
	standalone.StringVar(&o.WriteKubeconfig, "write-kubeconfig", o.WriteKubeconfig, "File to write the client configuration of --standalone to. Without it, a temporary file that is named at the start.")
	o.SecureServing.AddFlags(sets.FlagSet("serving"))
	o.Authentication.AddFlags(sets.FlagSet("authentication"))
	o.Authorization.AddFlags(sets.FlagSet("authorization"))
	logsapi.AddFlags(o.Logs, sets.FlagSet("logs"))
	return sets
}

// Validate returns every mistake at once, each with its flag and the mend.
func (o *Options) Validate() error {
	var errs []error
	if o.Standalone {
		for _, flag := range o.withoutEffect {
			errs = append(errs, fmt.Errorf("%s has no effect with --standalone: leave it out", flag))
		}
		if o.Manifests == "" {
			errs = append(errs, errors.New("--standalone needs --manifests: name the directory that is served"))
		}
		if o.Kubeconfig != "" {
			errs = append(errs, errors.New("--kubeconfig and --standalone exclude each other: leave one out"))
		}
	} else if o.Manifests != "" || o.WriteKubeconfig != "" {
		errs = append(errs, errors.New("--manifests and --write-kubeconfig need --standalone: add it, or leave them out"))
	}
	if _, err := labels.Parse(o.NamespaceSelector); err != nil {
		errs = append(errs, fmt.Errorf("--namespace-selector %q is no label selector: %w", o.NamespaceSelector, err))
	}
	if o.MaxWatchedNamespaces < 0 {
		errs = append(errs, fmt.Errorf("--max-watched-namespaces is %d: it has to be 0 or more", o.MaxWatchedNamespaces))
	}
	if o.ShutdownDelay < 0 {
		errs = append(errs, fmt.Errorf("--shutdown-delay-duration is %s: it has to be 0 or more", o.ShutdownDelay))
	}
	errs = append(errs, o.SecureServing.Validate()...)
	if !o.Standalone {
		errs = append(errs, o.Authentication.Validate()...)
		errs = append(errs, o.Authorization.Validate()...)
	}
	return utilerrors.NewAggregate(errs)
}

// standaloneFlags are those that --standalone reads, besides those of logs.
var standaloneFlags = []string{"standalone", "manifests", "write-kubeconfig", "secure-port", "kubeconfig", "v", "vmodule"}

// complete applies what follows from other options. given are the flags that somebody set.
func (o *Options) complete(given []string) {
	if o.Standalone {
		o.SecureServing.BindAddress = net.IPv4(127, 0, 0, 1)
		if !slices.Contains(given, "secure-port") {
			o.SecureServing.BindPort = defaultStandalonePort
		}
		o.ShutdownDelay = 0
		for _, flag := range given {
			if !slices.Contains(standaloneFlags, flag) && !strings.HasPrefix(flag, "log") {
				o.withoutEffect = append(o.withoutEffect, "--"+flag)
			}
		}
		return
	}
	// One kubeconfig serves for reading and for delegated authentication and authorization.
	if o.Authentication.RemoteKubeConfigFile == "" {
		o.Authentication.RemoteKubeConfigFile = o.Kubeconfig
	}
	if o.Authorization.RemoteKubeConfigFile == "" {
		o.Authorization.RemoteKubeConfigFile = o.Kubeconfig
	}
}
