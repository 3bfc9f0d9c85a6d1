package main

import "context"

// A server is a program that an agent needs beside the one in the terminal.
type server struct {
	port  string
	start func(ctx context.Context, s *stage) error
}
