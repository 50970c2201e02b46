// Package linktest checks a transport: all ranks of a link.Link run the same checks.
package linktest
