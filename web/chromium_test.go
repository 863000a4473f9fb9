package web_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"livehost/internal/testkit"
	"livehost/streams/event"
	"livehost/web"
)

// screenshots is a folder for pictures of the pages, for people to look at.
var screenshots = os.Getenv("LIVEHOST_SCREENSHOTS")

// browser is a real Chromium with one page.
type browser struct {
	ctx context.Context

	mu       sync.Mutex
	problems []string // what the page complained about
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium on this machine: the console was not looked at in a real browser (Debian: apt-get install chromium)")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()))
	alloc, stopAlloc := chromedp.NewExecAllocator(t.Context(), opts...)
	b := &browser{}
	var stop context.CancelFunc
	b.ctx, stop = chromedp.NewContext(alloc, chromedp.WithListener(b.listen))
	t.Cleanup(func() { stop(); stopAlloc() })
	b.do(t) // opens the page
	for _, enable := range []cdp.Command[cdp.Empty, cdp.Empty]{cdplog.Enable, runtime.Enable} {
		if _, err := chromedp.Call(b.ctx, enable, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func (b *browser) listen(ev any) {
	problem := ""
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		problem = ev.ExceptionDetails.Text
		if e := ev.ExceptionDetails.Exception; e != nil {
			problem += " " + e.Description
		}
	case *cdplog.EventEntryAdded:
		if ev.Entry.Level == cdplog.EntryLevelError && ev.Entry.Source != cdplog.EntrySourceNetwork { // the network fails on purpose
			problem = string(ev.Entry.Source) + ": " + ev.Entry.Text
		}
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeError {
			problem = fmt.Sprint("console.error ", ev.Args)
		}
	case *page.EventJavascriptDialogOpening:
		problem = "a dialog opened: " + ev.Message
	}
	if problem != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.problems = append(b.problems, problem)
	}
}

// clean fails when the page complained: a script's error, a violated policy, a dialog.
func (b *browser) clean(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		t.Errorf("the browser says: %s", p)
	}
	b.problems = nil
}

// within bounds one look at the page: a browser that hangs fails the test.
const within = testkit.Patience

func (b *browser) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx := b.ctx
	if len(steps) > 0 { // the first call's context is the browser's life
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func (b *browser) value(t *testing.T, js string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, within)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+js+")"))
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return out
}

// until waits for a JavaScript condition.
func (b *browser) until(t *testing.T, js string) {
	t.Helper()
	eventually(t, func() bool { return b.value(t, "Boolean("+js+")") == "true" }, func() string {
		return js + " never held; the page:\n" + b.value(t, "document.body.innerText")
	})
}

func (b *browser) look(t *testing.T, width, height int64, dark bool, name string) {
	t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.do(t, chromedp.EmulateViewport(width, height))
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		t.Fatal(err)
	}
	if wide := b.value(t, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide != "0" {
		t.Errorf("%s: the page is %s pixels wider than its %d", name, wide, width)
	}
	if screenshots == "" {
		return
	}
	b.until(t, "!document.querySelector('#charts:not([hidden])') || document.querySelectorAll('canvas').length === 2")
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(screenshots, name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

const rows = "document.querySelectorAll('#rows tr').length"

// TestChromiumLive plays the live page: rows fill in without a reload, filters,
// pause, reconnection, and hostile text that stays text.
func TestChromiumLive(t *testing.T) {
	b := openBrowser(t)
	r := start(t)
	way := answered()
	r.publish(t, way[:2]...)
	r.shows(t, "/", "多少钱")
	b.do(t, chromedp.EmulateViewport(1280, 800), chromedp.Navigate(r.url+"/"))
	b.until(t, rows+" === 1 && document.getElementById('stream-state').textContent === 'live'")
	r.publish(t, way[2:]...)
	b.until(t, "document.querySelector('.c-outcome .s-answered') && document.querySelector('.c-heard').textContent.includes('spoken')")

	for i, text := range hostile {
		d := danmaku(text, text, evening+int64(i+1)*1000)
		d.ViewerName = text
		r.publish(t, d, outcome(text, event.Suppressed, text))
	}
	b.until(t, rows+fmt.Sprintf(" === %d", 1+len(hostile)))
	if n := b.value(t, "document.querySelectorAll('main script, main img, main iframe, main svg').length"); n != "0" {
		t.Errorf("%s hostile elements are in the page", n)
	}
	if order := b.value(t, "[...document.querySelectorAll('#rows tr')].every((r, i, all) => !i || Number(all[i-1].dataset.at) >= Number(r.dataset.at))"); order != "true" {
		t.Error("rows are not newest first")
	}

	b.do(t, chromedp.SetValue("select[name=outcome]", "answered"),
		chromedp.Evaluate[chromedp.Void]("document.querySelector('select[name=outcome]').dispatchEvent(new Event('change', {bubbles: true}))"))
	b.until(t, rows+" === 1 && location.search.includes('outcome=answered') && document.getElementById('stream-state').textContent === 'live'")
	r.publish(t, danmaku("d2", "第二个", evening+70_000), outcome("d2", event.Answered, "private_text"))
	b.until(t, rows+" === 2")

	b.do(t, chromedp.Click("#pause"))
	r.publish(t, danmaku("d3", "第三个", evening+80_000), outcome("d3", event.Answered, "private_text"))
	r.shows(t, "/", "第三个")
	if n := b.value(t, rows); n != "2" {
		t.Errorf("%s rows while paused, want 2", n)
	}
	b.do(t, chromedp.Click("#pause"))
	b.until(t, rows+" === 3")
	b.clean(t)

	r.end()
	b.until(t, "document.getElementById('stream-state').textContent.includes('connection lost')")
}

// busy is a store with an evening in it.
type busy struct{ store }

func (busy) Minutes(context.Context, web.Scope) ([]web.Minute, error) {
	var out []web.Minute
	for i := range 40 {
		if i == 20 || i == 21 {
			continue // nobody asked anything
		}
		n := int64(4 + (i*7)%11)
		m := web.Minute{Start: time.UnixMilli(evening).Truncate(time.Minute).Add(time.Duration(i) * time.Minute), Counted: n,
			P50Ms: ptr(3000 + float64(i*137%900)), P95Ms: ptr(7000 + float64(i*311%4000)),
			Ended: map[event.State]int64{event.Answered: n, event.Merged: n / 2, event.Filtered: n / 3, event.Shed: max(n-12, 0), event.Silent: n / 5, event.Expired: n / 12}}
		if i%13 == 5 {
			m.P95Ms, m.Missed = ptr(15_001), 1
		}
		out = append(out, m)
	}
	return out, nil
}

// TestChromiumPages opens every page at 1280 pixels and on a phone, light and
// dark: nothing is wider than the screen, nothing is refused by the policy.
func TestChromiumPages(t *testing.T) {
	b := openBrowser(t)
	r := start(t, withStore(store{}), func(_ *web.Config, d *web.Deps) { d.Minutes = busy{} })
	r.publish(t, answered()...)
	long := danmaku("long", strings.Repeat("这个到底多少钱啊在线等", 12)+" "+strings.Repeat("x", 200), evening+500)
	long.ViewerName = strings.Repeat("名字很长", 10)
	r.publish(t, long, danmaku("d5", "do you ship to Canada?", evening+600), outcome("d5", event.HandedOver, "human_requested"), danmaku("d6", "在吗", evening+900))
	r.shows(t, "/", "Canada", "在吗", "3号今天59元")
	for _, p := range []struct{ name, path, ready string }{
		{"live", "/", rows + " === 4"},
		{"outcomes", "/outcomes", "document.querySelectorAll('canvas').length === 2"},
		{"incidents", "/incidents", "document.querySelector('tbody')"},
		{"experiments", "/experiments", "document.querySelector('tbody')"},
		{"run", query("/run", "id", "w1#1"), "document.querySelector('rect')"},
		{"danmaku", "/danmaku?id=d1", "document.querySelector('h1')"},
		{"missing", "/danmaku?id=x", "document.querySelector('h1')"},
	} {
		b.do(t, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(r.url+p.path))
		b.until(t, p.ready)
		b.look(t, 1280, 900, false, p.name+"-desk-light")
		b.look(t, 1280, 900, true, p.name+"-desk-dark")
		b.look(t, 390, 844, false, p.name+"-phone-light")
		if unnamed := b.value(t, "[...document.querySelectorAll('input, select, button')].filter((e) => !e.labels?.length && !e.textContent.trim() && !e.getAttribute('aria-label')).length"); unnamed != "0" {
			t.Errorf("%s: %s controls have no name", p.name, unnamed)
		}
	}
	b.clean(t)
}
