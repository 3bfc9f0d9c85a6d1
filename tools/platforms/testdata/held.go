//go:build windows

// Command held opens a file so that no other program can open it, as some agents open
// their logs, until its standard input ends.
package main

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

func main() {
	name, err := syscall.UTF16PtrFromString(os.Args[1])
	if err != nil {
		panic(err)
	}
	const noSharing = 0
	if _, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, noSharing, nil, syscall.OPEN_EXISTING, 0, 0); err != nil {
		panic(err)
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
}
