// Command aibom-apiserver is the aggregated API server that computes AIBOMs when they are read.
package main

import (
	"os"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"

	"k8saibom.dev/k8s-aibom/pkg/apiserver"
)

func main() {
	command := apiserver.NewCommand()
	command.SetContext(genericapiserver.SetupSignalContext())
	os.Exit(cli.Run(command))
}
