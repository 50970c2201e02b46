#!/bin/sh
# Fails where a Go file is not formatted, generated code is not fresh, or go vet or staticcheck finds something.
set -eu
cd "$(dirname "$0")/.."
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	printf 'Not formatted; run gofmt -w on:\n%s\n' "$unformatted" >&2
	exit 1
fi
(cd kernels && go run ./internal/generate -check)
go vet ./...
go tool staticcheck ./...
