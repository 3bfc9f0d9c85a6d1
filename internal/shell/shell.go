// Package shell runs command lines that users wrote, such as $EDITOR, in the system's
// shell.
//
// In: a command line, and arguments that are no part of it. Out: a program to start.
package shell
