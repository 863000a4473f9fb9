package prompt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"livehost/agentworker/skill"
	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/streams/event"
)

// Config bounds a prompt.
type Config struct {
	MaxTokens   int // estimated, system and user message together
	MaxProducts int // products whose facts are shown
	MaxFAQ      int // FAQ entries shown
}

// DefaultConfig is 24,000 tokens, 4 products, 3 FAQ entries.
func DefaultConfig() Config { return Config{MaxTokens: 24_000, MaxProducts: 4, MaxFAQ: 3} }

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	if c.MaxTokens < 500 {
		errs = append(errs, fmt.Errorf("max_tokens %d is below 500", c.MaxTokens))
	}
	if c.MaxProducts < 0 || c.MaxFAQ < 0 {
		errs = append(errs, errors.New("max_products or max_faq is negative"))
	}
	return errors.Join(errs...)
}

// Prompt is the messages a run begins with.
type Prompt struct {
	Prefix   string // how the system message begins: one text for all runs of the release with these outlets
	System   string // the rest of the system message
	User     string
	Products []ProductFacts // evidence for what is not a price
	FAQ      string         // answers as shown, unescaped: evidence likewise
	Words    string         // what viewers wrote, unescaped: never evidence for a price
	Cut      []string       // what the budget dropped, in dropping order
	Tokens   int            // estimated
}

// Builder builds the prompts of one release. Safe for concurrent use.
type Builder struct {
	cfg     Config
	release *harness.Release

	skills  [2]piece // whole and shortened
	mu      sync.Mutex
	prefix  map[prefixKey]piece
	product map[productKey]productText // of every product asked about so far
}

// piece is a text with its tokens.
type piece struct {
	text   string
	tokens int
}

func newPiece(text string) piece { return piece{text, Tokens(text)} }

// prefixKey is everything the constant part depends on.
type prefixKey struct{ compact, private, handOver bool }

// New makes the builder of a release.
func New(cfg Config, r *harness.Release) (*Builder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("prompt: %w", err)
	}
	b := &Builder{cfg: cfg, release: r, prefix: map[prefixKey]piece{}, product: map[productKey]productText{}}
	for i, limit := range []int{0, shortSkill} {
		b.skills[i] = newPiece(skill.Block(r.Skills, limit, escape))
	}
	return b, nil
}

// Build makes the prompt of a window; compact takes the release's shorter route
// where it has one.
func (b *Builder) Build(w *event.Window, compact bool) Prompt {
	compact = compact && len(b.release.Compact) > 0
	blocks := b.release.Prompt
	if compact {
		blocks = b.release.Compact
	}
	prefix := b.constant(compact, blocks, w.Context.Settings)
	wants := func(name string) bool {
		return slices.ContainsFunc(blocks, func(bl harness.Block) bool { return bl.Dynamic && bl.Name == name })
	}
	parts := b.gather(w, wants)
	p := Prompt{Prefix: prefix.text}
	for {
		var tokens int
		p.System, tokens = b.dynamic(prefix.tokens, blocks, parts)
		p.User = parts.user()
		p.Tokens = tokens + Tokens(p.User)
		if p.Tokens <= b.cfg.MaxTokens {
			break
		}
		cut := parts.drop()
		if cut == "" {
			break
		}
		p.Cut = append(p.Cut, cut)
	}
	p.Products, p.FAQ, p.Words = parts.products(), parts.answers(), words(w)
	return p
}

// Facts is all that the prompt gives as facts.
func (p *Prompt) Facts() string {
	var out []string
	for _, known := range p.Products {
		out = append(out, known.Text)
	}
	if p.FAQ != "" {
		out = append(out, p.FAQ)
	}
	return strings.Join(out, "\n")
}

// constant is the constant blocks, rendered once for each set of outlets.
func (b *Builder) constant(compact bool, blocks []harness.Block, s event.RoomSettings) piece {
	key := prefixKey{compact, s.PrivateText, s.HandOver}
	b.mu.Lock()
	defer b.mu.Unlock()
	if have, ok := b.prefix[key]; ok {
		return have
	}
	offered := map[string]bool{}
	for _, t := range tool.Offered(b.release, s) {
		offered[t.Name] = true
	}
	if !slices.ContainsFunc(blocks, func(bl harness.Block) bool { return bl.Name == harness.BlockSkills }) {
		if t, ok := b.release.Builtin(harness.BuiltinLoadSkill); ok {
			offered[t.Name] = false
		}
	}
	var out strings.Builder
	for _, bl := range blocks {
		if !bl.Dynamic {
			writeBlock(&out, bl.Name, keepOffered(bl.Text, offered))
		}
	}
	b.prefix[key] = newPiece(out.String())
	return b.prefix[key]
}

// keepOffered drops the protocol lines ("- phrase: tool(params)") of tools that
// are not offered.
func keepOffered(text string, offered map[string]bool) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		m := protocolLine.FindStringSubmatch(line)
		return m != nil && !offered[m[1]]
	}), "\n")
}

// dynamic is the blocks made per run, in the release's order and without the empty
// ones, and their tokens on top of the prefix's.
func (b *Builder) dynamic(tokens int, blocks []harness.Block, p *parts) (string, int) {
	var out strings.Builder
	for _, bl := range blocks {
		if !bl.Dynamic {
			continue
		}
		var text piece
		switch bl.Name {
		case harness.BlockSkills:
			text = b.skills[0]
			if p.shortSkills {
				text = b.skills[1]
			}
		case harness.BlockProductFacts:
			text = newPiece(p.productFacts())
		case harness.BlockFAQ:
			text = newPiece(p.faqText())
		case harness.BlockRoomStatus:
			text = newPiece(p.status)
		}
		if text.text != "" {
			writeBlock(&out, bl.Name, text.text)
			tokens += text.tokens
		}
	}
	return out.String(), tokens
}

func writeBlock(out *strings.Builder, name, text string) {
	out.WriteString(`<block name="` + name + "\">\n" + text + "\n</block>\n")
}
