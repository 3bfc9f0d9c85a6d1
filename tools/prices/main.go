// Command prices reads LiteLLM's list of prices, and prints the models and prices that
// readers can meet. The script renew, beside it, runs the program.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		text, err = reduce(text)
	}
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prices:", err)
		os.Exit(1)
	}
}
