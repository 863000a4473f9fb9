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
		a.read = info.ModTime()
		data, err := os.ReadFile(a.cfg.Words)
		if err != nil {
			return err
		}
		if lists, err = filter.ParseLists(a.cfg.Words, data); err != nil {
			return err
		}
	}
	a.words.Store(filter.New(lists))
	return nil
}

// followWords reads the file again whenever it changes. A file that is away or has
// problems changes nothing: what was read last goes on.
func (a *Aggregator) followWords(ctx context.Context) {
	if a.cfg.Words == "" {
		<-ctx.Done()
		return
	}
	tick := time.NewTicker(a.cfg.WordsPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		info, err := os.Stat(a.cfg.Words)
		if err != nil || info.ModTime().Equal(a.read) {
			continue
		}
		if err := a.loadWords(); err != nil {
			a.deps.Log.Error("words file not taken", "file", a.cfg.Words, "err", err)
			continue
		}
		a.deps.Log.Info("words file read", "file", a.cfg.Words, "version", a.words.Load().Version())
	}
}
