// Command kubectl-aibom is the kubectl plugin: AIBOMs of manifests, without a server.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"k8saibom.dev/k8s-aibom/pkg/generate"
	"k8saibom.dev/k8s-aibom/pkg/version"
)

func main() {
	err := command().Execute()
	if err == nil {
		return
	}
	// What could not be read has been told already, with file and line.
	if !errors.Is(err, generate.ErrUnreadable) {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	os.Exit(1)
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "kubectl-aibom",
		Short:         "AIBOMs of Kubernetes manifests",
		Long:          "kubectl-aibom tells what AI runs in Kubernetes workloads, on which models, from which evidence.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(generateCommand(), &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run:   func(c *cobra.Command, _ []string) { fmt.Fprintln(c.OutOrStdout(), version.Version()) },
	})
	return root
}

func generateCommand() *cobra.Command {
	options := generate.Options{}
	c := &cobra.Command{
		Use:   "generate -f FILE|DIR|-",
		Short: "Print the AIBOMs of manifests",
		Long: `Print the AIBOM, a CycloneDX 1.6 document, of each AI workload in manifests. No
cluster and no network is needed, and the same manifests give the same bytes.

A manifest that cannot be read is reported with file and line; the others are
printed, and the exit status is 1. It is 0 when everything was read, also when
no workload shows a sign of AI.`,
		Example: `  # One document a line, in the order of the files
  kubectl aibom generate -f deploy/

  # The one document of a file, for people
  kubectl aibom generate -f deployment.yaml -o json

  # What a chart would install
  helm template my-release ./chart | kubectl aibom generate -f - -o summary`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			options.In, options.Out, options.ErrOut = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
			return generate.Run(options)
		},
	}
	c.Flags().StringArrayVarP(&options.Paths, "filename", "f", nil, "File, directory or - for the standard input; may be given more than once.")
	c.Flags().StringVarP(&options.Format, "output", "o", generate.JSONLines, "One of jsonl (one canonical document a line), json (one document, indented) and summary (a table).")
	return c
}
