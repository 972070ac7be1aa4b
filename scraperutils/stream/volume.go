package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Volume adds checkpoint files to leases, as arXiv's consumer keeps them: FOLDER/STREAM__SHARD.json, with a sequence number in it. A
// shard without a checkpoint takes over the one in its file, and Volume keeps the files up to date.
type Volume struct {
	Leases
	folder string
	stream string
	files  map[string]string // paths of files that were there, by shard
	known  map[string]string // what was in them
}

// NewVolume reads the checkpoint files of a stream. The error names a file that holds something else.
func NewVolume(leases Leases, folder, stream string) (*Volume, error) {
	v := &Volume{Leases: leases, folder: folder, stream: stream, files: map[string]string{}, known: map[string]string{}}
	all, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	for _, entry := range all {
		name, ok := strings.CutPrefix(entry.Name(), stream+"__")
		shard, isFile := strings.CutSuffix(name, ".json")
		if !ok || !isFile || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read a checkpoint: %w", err)
		}
		sequence := strings.Trim(strings.TrimSpace(string(text)), `"`)
		if !IsSequence(sequence) {
			return nil, fmt.Errorf("checkpoint %s holds %.60q: expected a sequence number", path, sequence)
		}
		if n, err := strconv.ParseUint(shard, 10, 40); err == nil {
			shard = fmt.Sprintf("shardId-%012d", n)
		}
		v.files[shard], v.known[shard] = path, sequence
	}
	return v, nil
}

// Add implements Leases.
func (v *Volume) Add(ctx context.Context, leases []Lease) error {
	with := make([]Lease, len(leases))
	for i, l := range leases {
		if with[i] = l; l.Checkpoint == "" {
			with[i].Checkpoint = v.known[l.Shard]
		}
	}
	return v.Leases.Add(ctx, with)
}

// Save implements Leases. The file follows the lease and is never ahead of it. The end of a shard leaves the file as it is.
func (v *Volume) Save(ctx context.Context, held Lease, checkpoint string) error {
	if err := v.Leases.Save(ctx, held, checkpoint); err != nil || checkpoint == End {
		return err
	}
	sequence, _, aggregated := strings.Cut(checkpoint, ".")
	if aggregated {
		return nil // it is not done as a whole
	}
	path, ok := v.files[held.Shard]
	if !ok {
		path = filepath.Join(v.folder, v.stream+"__"+held.Shard+".json")
	}
	return replace(path, sequence)
}

// replace writes a file aside, syncs it and puts it in its place, so that no reader sees half of it.
func replace(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".checkpoint-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // it may be gone already
	}
	return err
}
