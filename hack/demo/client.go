package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	requestTimeout = 30 * time.Second
	// asTable is the media type with which kubectl asks for what it prints.
	asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"
)

// A client talks to the server that a kubeconfig names.
type client struct {
	http *http.Client
	host string
}

func newClient(kubeconfig string) (*client, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.Timeout = requestTimeout
	c, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &client{http: c, host: config.Host}, nil
}

func (c *client) get(ctx context.Context, path, accept string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.host+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %s", path, response.Status, body)
	}
	return body, err
}

func (c *client) table(ctx context.Context, path string) (*metav1.Table, error) {
	body, err := c.get(ctx, path, asTable)
	if err != nil {
		return nil, err
	}
	table := &metav1.Table{}
	if err := json.Unmarshal(body, table); err != nil {
		return nil, fmt.Errorf("reading the table: %w", err)
	}
	return table, nil
}

// write prints the columns that kubectl shows without -o wide.
func write(out io.Writer, table *metav1.Table) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	header := []string{"NAMESPACE"}
	for _, column := range table.ColumnDefinitions {
		if column.Priority == 0 {
			header = append(header, strings.ToUpper(column.Name))
		}
	}
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, row := range table.Rows {
		object := &metav1.PartialObjectMetadata{}
		if err := json.Unmarshal(row.Object.Raw, object); err != nil {
			return fmt.Errorf("reading a row: %w", err)
		}
		line := []string{object.Namespace}
		for i, cell := range row.Cells {
			if table.ColumnDefinitions[i].Priority == 0 {
				line = append(line, fmt.Sprint(cell))
			}
		}
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	return w.Flush()
}
