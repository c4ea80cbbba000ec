// Command demo serves the manifests of ./examples without a cluster and prints what
// `kubectl get aiboms -A` prints. It asks the server as kubectl does, so that nothing
// but Go has to be installed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	server := flag.String("server", filepath.Join("bin", "aibom-apiserver"), "the `program` to run")
	manifests := flag.String("manifests", "examples", "the `directory` to serve")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *server, *manifests); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program, manifests string) (err error) {
	server, err := start(ctx, program, manifests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	client, err := server.client(ctx)
	if err != nil {
		return err
	}
	table, err := client.table(ctx, "/apis/aibom.k8saibom.dev/v1beta1/aiboms")
	if err != nil {
		return err
	}
	fmt.Println("$ kubectl get aiboms -A")
	if err := write(os.Stdout, table); err != nil {
		return err
	}
	fmt.Printf("\nServe them yourself, for kubectl or any other client:\n  %s --standalone --manifests %s\n", program, manifests)
	return nil
}
