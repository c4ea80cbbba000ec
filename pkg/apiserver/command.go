package apiserver

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/term"

	"k8saibom.dev/k8s-aibom/pkg/version"
)

// NewCommand returns the command aibom-apiserver.
func NewCommand() *cobra.Command {
	options := NewOptions()
	command := &cobra.Command{
		Use:   "aibom-apiserver",
		Short: "Serve AIBOMs: which AI runs in the cluster, on which models, from which evidence",
		Long: `aibom-apiserver is an aggregated Kubernetes API server. It computes an AIBOM, a
CycloneDX 1.6 ML-BOM, for each AI workload when it is read. Nothing is stored.

With --standalone it serves a directory of manifests on the loopback address and
needs no cluster.`,
		Example: `  # Serve the cluster that the pod runs in
  aibom-apiserver

  # Serve a directory of manifests without a cluster
  aibom-apiserver --standalone --manifests ./examples --write-kubeconfig ./kubeconfig
  kubectl --kubeconfig ./kubeconfig get aiboms -A`,
		Version:       version.Version(),
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := logsapi.ValidateAndApply(options.Logs, nil); err != nil {
				return err
			}
			var given []string
			command.Flags().Visit(func(flag *pflag.Flag) { given = append(given, flag.Name) })
			options.complete(given)
			if err := options.Validate(); err != nil {
				return err
			}
			config, err := options.Config()
			if err != nil {
				return err
			}
			server, err := New(config)
			if err != nil {
				return err
			}
			return server.Run(command.Context())
		},
	}
	sets := options.Flags()
	for _, name := range sets.Order {
		command.Flags().AddFlagSet(sets.FlagSets[name])
	}
	width, _, _ := term.TerminalSize(command.OutOrStdout())
	cliflag.SetUsageAndHelpFunc(command, sets, width)
	return command
}
