package aggregator

import (
	"context"
	"os"
	"time"

	"livehost/aggregator/filter"
)

// loadWords makes the filter from the words file as it is now.
func (a *Aggregator) loadWords() error {
	var lists filter.Lists
	if a.cfg.Words != "" {
		info, err := os.Stat(a.cfg.Words)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(a.cfg.Words)
		if err != nil {
			return err
		}
		a.read = info // as it was before: a change in between is seen at the next look
		if lists, err = filter.ParseLists(a.cfg.Words, data); err != nil {
			return err
		}
	}
	a.words.Store(filter.New(lists))
	return nil
}

// followWords reads the file again whenever it changes. A file that is away or has
// problems changes nothing: what was read last goes on, and each problem is said once.
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
		info, err := os.Stat(a.cfg.Words)
		if err != nil || unchanged(a.read, info) {
			continue
		}
		if err := a.loadWords(); err != nil {
			if said != err.Error() {
				said = err.Error()
				a.deps.Log.Error("words file not taken", "file", a.cfg.Words, "err", err)
			}
			continue
		}
		said = ""
		a.deps.Log.Info("words file read", "file", a.cfg.Words, "version", a.words.Load().Version())
	}
}

// unchanged reports the same file: its time alone does not say so, some ways to put a
// file in its place give all of them one time.
func unchanged(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
