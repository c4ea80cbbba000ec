// Command kubectl-aibom is the kubectl plugin: AIBOMs of manifests, without a server.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"k8saibom.dev/k8s-aibom/pkg/generate"
	"k8saibom.dev/k8s-aibom/pkg/version"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run returns the exit status: 0, or 1 if anything went wrong.
func run(arguments []string, in io.Reader, out, errOut io.Writer) int {
	c := command()
	c.SetArgs(arguments)
	c.SetIn(in)
	c.SetOut(out)
	c.SetErr(errOut)
	err := c.Execute()
	if err == nil {
		return 0
	}
	// What could not be read has been told already, with file and line.
	if !errors.Is(err, generate.ErrUnreadable) {
		fmt.Fprintln(errOut, "error:", err)
	}
	return 1
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "kubectl-aibom",
		Short:         "AIBOMs of Kubernetes manifests",
		Long:          "kubectl-aibom tells what AI runs in Kubernetes workloads, on which models, from which evidence.",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl aibom"},
		Version:       version.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(generateCommand(), versionCommand())
	return root
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), version.Version())
			return err
		},
	}
}

func generateCommand() *cobra.Command {
	options := generate.Options{}
	c := &cobra.Command{
		Use:   "generate -f FILE|DIR|-",
		Short: "Print the AIBOMs of manifests",
		Long: `Print the AIBOM, a CycloneDX 1.6 document, of each AI workload in manifests. No
cluster and no network is needed, and the same manifests give the same bytes.

Of a directory every .yaml, .yml and .json file below it is read. Objects without
a namespace count as in "default". A namespace counts as opted in, unless the
manifests have a Namespace object that says otherwise: with the label
aibom.k8saibom.dev/enabled of another value than "true".

Exit status: 0 when everything was read, also when no workload shows a sign of
AI; 1 otherwise. A manifest that cannot be read is reported with file and line,
and the others are printed.`,
		Example: `  # One document a line, in the order of the files
  kubectl aibom generate -f deploy/

  # The one document of a file, for people
  kubectl aibom generate -f deployment.yaml -o json

  # What a chart would install
  helm template my-release ./chart | kubectl aibom generate -f - -o summary

  # What runs in a cluster whose operators have not installed the server
  kubectl get deployments,statefulsets,replicasets,pods -o yaml | kubectl aibom generate -f -`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			options.In, options.Out, options.ErrOut = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
			return generate.Run(options)
		},
	}
	c.Flags().StringArrayVarP(&options.Paths, "filename", "f", nil, "File, directory or - for the standard input; may be given more than once.")
	c.Flags().StringVarP(&options.Format, "output", "o", generate.Formats[0], "One of jsonl (one canonical document a line), json (one document, indented) and summary (a table).")
	return c
}
