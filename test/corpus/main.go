// Command corpus compares what the product extracts from real manifests with the
// answers of a careful reader, and prints how far they agree.
//
// The environment variable AIBOM_CORPUS names a folder with answers*.yaml and the
// manifests that they speak of. The exit code is 0 when every document is valid and
// holds no secret that the answers name, 1 when not, and 2 when the corpus cannot be
// read. With -strict it is also 1 for each runtime or model that is not there.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// corpusVariable names the folder with the manifests and their answers.
const corpusVariable = "AIBOM_CORPUS"

func main() { os.Exit(run()) }

func run() int {
	verbose := flag.Bool("v", false, "print the softer findings, the doubts of the answers and the oddities of the corpus too")
	strict := flag.Bool("strict", false, "fail on false runtimes and models and on what the answers forbid")
	kinds := flag.String("kinds", "", "compare only these `kinds`, as Group/Kind, separated by commas")
	folders := flag.String("folder", "", "compare only these `folders` of the corpus, separated by commas")
	jsonFile := flag.String("json", "", "write everything as JSON to this `file` too")
	flag.Parse()

	corpus := os.Getenv(corpusVariable)
	if corpus == "" {
		fmt.Fprintln(os.Stderr, "corpus: "+corpusVariable+" is empty; set it to the folder with the manifests and their answers")
		return 2
	}
	result, err := Compare(corpus, Selection{Folders: list(*folders), Kinds: list(*kinds)})
	if err == nil {
		err = result.Print(os.Stdout, *verbose)
	}
	if err == nil && *jsonFile != "" {
		err = writeFile(*jsonFile, result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus: "+err.Error())
		return 2
	}
	if failures := result.Failures(*strict); len(failures) > 0 {
		fmt.Fprintf(os.Stderr, "corpus: %d findings that must not be, the first: %s %s: %s\n", len(failures), failures[0].File, failures[0].Root, failures[0])
		return 1
	}
	return 0
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func writeFile(path string, result *Result) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	defer func() {
		if closing := f.Close(); err == nil && closing != nil {
			err = fmt.Errorf("write the result: %w", closing)
		}
	}()
	if err := result.WriteJSON(f); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
