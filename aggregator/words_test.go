package aggregator_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"livehost/aggregator"
	"livehost/streams/event"
)

func TestWordsAreReadAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "words.txt")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[sensitive]\n某某牌子\n[bots]\na9\n")
	synctest.Test(t, func(t *testing.T) {
		cfg := aggregator.DefaultConfig()
		cfg.Words = path
		r := newRig(t, cfg)
		r.say("d1", "a1", "某某牌子有吗")
		r.want("d1", "filtered sensitive")
		r.say("d2", "a9", "多少钱")
		r.want("d2", "filtered bot")
		write("[spam]\n另一个词\n")
		r.pass(3 * time.Second)
		r.say("d3", "a1", "某某牌子有吗")
		r.say("d4", "a2", "另一个词")
		r.want("d3", "")
		r.want("d4", "filtered spam")
		write("[nonsense]\n")
		r.pass(3 * time.Second)
		r.say("d5", "a3", "另一个词")
		r.want("d5", "filtered spam")
		versions := map[string]bool{}
		for _, h := range all[event.GuardrailHit](r) {
			versions[h.Version] = true
		}
		if len(versions) != 2 {
			t.Errorf("hits of versions %v, want two", versions)
		}
		r.stop()
	})
	write("何\n")
	cfg := aggregator.DefaultConfig()
	cfg.Words = path
	if _, err := aggregator.New(cfg, aggregator.Deps{}); err == nil {
		t.Error("a words file with problems is taken at start")
	}
}

// A new file is taken whatever its time, also after one that could not be read.
func TestWordsFileIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "words.txt")
	released := time.Unix(1_700_000_000, 0)
	replace := func(content string) {
		t.Helper()
		next := filepath.Join(dir, "next")
		if err := os.WriteFile(next, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Chtimes(next, released, released), os.Rename(next, path)); err != nil {
			t.Fatal(err)
		}
	}
	replace("[spam]\n第一个词\n")
	synctest.Test(t, func(t *testing.T) {
		cfg := aggregator.DefaultConfig()
		cfg.Words = path
		r := newRig(t, cfg)
		replace("[spam]\n第二个词\n")
		r.pass(3 * time.Second)
		r.say("d1", "a1", "第二个词")
		r.want("d1", "filtered spam")
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700), os.Chtimes(path, released, released)); err != nil {
			t.Fatal(err)
		}
		r.pass(5 * time.Second)
		r.say("d2", "a2", "第二个词")
		r.want("d2", "filtered spam")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		replace("[spam]\n第三个词\n")
		r.pass(3 * time.Second)
		r.say("d3", "a3", "第三个词")
		r.want("d3", "filtered spam")
		r.stop()
	})
}

// A talkative viewer's chat is a flood; what is asked is not, and is judged by its
// words as any other.
func TestFloodSparesQuestions(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		for i := range 20 {
			r.say(fmt.Sprint("chat", i), "u1", fmt.Sprintf("今天第%d次来看你", i))
		}
		r.say("ask", "u1", "3号链接多少钱")
		r.say("abuse", "u1", "傻逼主播4号链接多少钱")
		r.say("bait", "u1", "加微信abc12345 5号链接多少钱")
		for i := range 20 {
			r.say(fmt.Sprint("again", i), "u2", "上链接上链接")
		}
		r.want("chat19", "filtered viewer_flood")
		r.want("ask", "")
		r.want("abuse", "filtered sensitive")
		r.want("bait", "filtered contact_bait")
		r.want("again19", "filtered viewer_repeat")
	})
}

// Platforms number danmaku within a room: equal ids of two rooms are two hits. The store
// keeps one row of an id.
func TestHitsOfEqualIDsInTwoRooms(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		d := r.danmaku("7", "a1", "傻逼主播多少钱")
		r.put(d)
		d.RoomID = beside()
		r.put(d)
		hits := all[event.GuardrailHit](r)
		if len(hits) != 2 || hits[0].HitID == hits[1].HitID {
			t.Errorf("hits %+v", hits)
		}
	})
}
