package h5

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
)

const (
	sealFormat = "\n#convect-seal v1 bytes=%016d crc32c=%08x\n"
	sealSize   = len("\n#convect-seal v1 bytes=0123456789abcdef crc32c=01234567\n")

	// sealedMark is the attribute of the root group of every file that gets a seal.
	sealedMark = "sealed"
	sealedText = "crc32c of the whole file in its last line"
)

// seal returns the seal of the first size bytes of r, of which the sums of some pieces, by their offsets, are known.
func seal(r io.ReaderAt, size int64, known []Piece) (string, error) {
	sum, at := uint32(0), int64(0)
	for _, p := range append(slices.Clone(known), Piece{Offset: size}) {
		if p.Offset < at || p.Offset+p.Bytes > size {
			return "", fmt.Errorf("sum of the file: %d bytes from byte %d on are no piece of it, or one twice", p.Bytes, p.Offset)
		}
		between, err := sum32(r, at, p.Offset)
		if err != nil {
			return "", fmt.Errorf("sum of the file: %w", err)
		}
		sum = joined(sum, between, int(p.Offset-at), crc32.Castagnoli)
		sum = joined(sum, p.Sum32, int(p.Bytes), crc32.Castagnoli)
		at = p.Offset + p.Bytes
	}
	return fmt.Sprintf(sealFormat, size, sum), nil
}

// sum32 returns the sum of bytes from one to the one before another, by all processors.
func sum32(r io.ReaderAt, from, to int64) (uint32, error) {
	if from == to {
		return 0, nil
	}
	return shared(int(to-from), crc32.Castagnoli, func(first, last int) (uint32, error) {
		sum := crc32.New(castagnoli)
		_, err := io.CopyBuffer(sum, io.NewSectionReader(r, from+int64(first), int64(last-first)), make([]byte, 1<<20))
		return sum.Sum32(), err
	})
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendSeal seals the file at path and forces it to disk.
func appendSeal(path string, known []Piece) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text, err := seal(f, info.Size(), known)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt([]byte(text), info.Size()); err != nil {
		return err
	}
	return f.Sync()
}

// sealState is what the end of a file says about it.
type sealState int

const (
	unsealed sealState = iota // no seal
	sealHolds
	sealBroken
)

// checkSeal compares the seal at the end of f, size bytes long, with its content.
func checkSeal(f io.ReaderAt, size int64) (sealState, error) {
	body := size - int64(sealSize)
	if body < 0 {
		return unsealed, nil
	}
	found := make([]byte, sealSize)
	if _, err := f.ReadAt(found, body); err != nil {
		return unsealed, fmt.Errorf("last line of the file: %w", err)
	}
	var bytes int64
	var sum uint32
	if _, err := fmt.Sscanf(string(found), sealFormat, &bytes, &sum); err != nil {
		return unsealed, nil
	}
	expected, err := seal(f, body, nil)
	if err != nil {
		return unsealed, err
	}
	if string(found) != expected {
		return sealBroken, nil
	}
	return sealHolds, nil
}
