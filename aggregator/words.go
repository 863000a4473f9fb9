package aggregator

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"livehost/aggregator/filter"
)

// loadWords makes the filter from the words file; changed is false when the file holds
// what it held before.
func (a *Aggregator) loadWords() (changed bool, err error) {
	var lists filter.Lists
	if a.cfg.Words != "" {
		data, err := os.ReadFile(a.cfg.Words)
		if err != nil {
			return false, err
		}
		if a.read != nil && bytes.Equal(a.read, data) {
			return false, nil
		}
		if lists, err = filter.ParseLists(a.cfg.Words, data); err != nil {
			return false, err
		}
		a.read = data
	}
	a.words.Store(filter.New(lists))
	return true, nil
}

// followWords takes the file again whenever it holds something else; neither its time
// nor its place on the disk says so of every way to replace one. A file that is away or
// has problems changes nothing: what was read last goes on, and each problem is said once.
func (a *Aggregator) followWords(ctx context.Context) {
	if a.cfg.Words == "" {
		<-ctx.Done()
		return
	}
	tick := time.NewTicker(a.cfg.WordsPoll)
	defer tick.Stop()
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		changed, err := a.loadWords()
		switch {
		case errors.Is(err, fs.ErrNotExist): // between two, perhaps
		case err == nil:
			said = ""
			if changed {
				a.deps.Log.Info("words file read", "file", a.cfg.Words, "version", a.words.Load().Version())
			}
		case said != err.Error():
			said = err.Error()
			a.deps.Log.Error("words file not taken", "file", a.cfg.Words, "err", err)
		}
	}
}
