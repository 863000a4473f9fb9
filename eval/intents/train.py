#!/usr/bin/env python3
"""Trains the model of aggregator/intent and writes its weights.

    livehost eval intents --data DIR --texts > texts.tsv
    livehost eval intents --own eval/intents/labels/own.tsv > own.tsv
    python3 eval/intents/teacher.py ... --out teacher.jsonl
    python3 eval/intents/train.py --texts texts.tsv --own own.tsv --teacher teacher.jsonl \
        --labels eval/intents/labels/train.labels --out aggregator/intent/model.bin \
        --golden aggregator/intent/testdata/scores.jsonl

Needs numpy and torch; --teacher may be left out, for a point or two. model.go in
aggregator/intent says what the model computes and how the file is laid out; this file
must agree with it, which TestAsTrained holds by the scores written with --golden.
"""

import argparse
import json
import math
import random
import re
import struct
from collections import Counter

import numpy as np
import torch
from torch import nn

INTENTS = ["product", "size", "price", "purchase", "shipping", "membership", "identity", "complaint", "praise", "greeting", "low_info"]
OUTSIDE, BEGIN, END, UNKNOWN = 0, 1, 2, 3
CHANNELS, WIDTH, MOST = 128, 5, 127  # no fit of a pattern is above MOST, once it is written
MAX_TOKENS, LONGEST_WORD = 48, 24
RARE_TOKEN, RARE_GRAM = 6, 3  # labelled less often than this: no row, no weight of its own
MAX_GRAMS = 98_000  # kept of the grams, by how much they say; three quarters of 131,072 slots
EMBEDDING = 64  # numbers a token is described by while the patterns are learnt
TOKEN = re.compile(r"[a-z']+|.", re.S)
MASK = (1 << 64) - 1


def tokens(text):
    return TOKEN.findall(text)[:MAX_TOKENS]


def stem(word):
    return "~" + word[:2] if len(word) > 1 else None


class Vocabulary:
    """The rows of tokens. A Latin word of one recording alone is a name there, or a code."""

    def __init__(self, texts, sources):
        count, places = Counter(), {}
        for text, source in zip(texts, sources):
            for t in tokens(text):
                count[t] += 1
                places.setdefault(t, set()).add(source)
        kept = sorted(
            (t for t, n in count.items() if n >= RARE_TOKEN and len(t) <= LONGEST_WORD and t != "\n" and (len(t) == 1 or len(places[t]) > 1)),
            key=lambda t: (-count[t], t),
        )
        kept_set, stems = set(kept), Counter()
        for t, n in count.items():
            if t not in kept_set and stem(t):
                stems[stem(t)] += n
        self.tokens = ["", "^", "$", "?"] + kept + sorted(s for s, n in stems.items() if n >= RARE_TOKEN)
        # The first four are no tokens: a text's own ^, $ and ? have rows further down.
        self.row = {t: i for i, t in enumerate(self.tokens) if i > UNKNOWN}

    def read(self, text):
        rows = [self.row.get(t) or self.row.get(stem(t)) or UNKNOWN for t in tokens(text)]
        return [BEGIN] + rows + [END]


def mixed(h, row):
    """The hash of a gram that goes on with row; the first of a gram is mixed with 0."""
    h = ((h ^ row) * 0x9E3779B97F4A7C15) & MASK
    return h ^ (h >> 29)


def grams(rows):
    """The hashes of the grams of one to three rows, but for BEGIN and END alone."""
    out = []
    for i, a in enumerate(rows):
        h = mixed(0, a)
        if a > END:
            out.append(h)
        if i + 1 < len(rows):
            h = mixed(h, rows[i + 1])
            out.append(h)
        if i + 2 < len(rows):
            out.append(mixed(h, rows[i + 2]))
    return out


class Net(nn.Module):
    """Scores = bias + weights of the grams + what the best fits of the patterns say."""

    def __init__(self, vocabulary, gram_count):
        super().__init__()
        self.tokens = nn.Embedding(len(vocabulary.tokens), EMBEDDING, padding_idx=OUTSIDE)
        nn.init.normal_(self.tokens.weight, std=0.1)
        self.tokens.weight.data[OUTSIDE] = 0
        self.patterns = nn.Conv1d(EMBEDDING, CHANNELS, WIDTH, padding=WIDTH // 2)
        self.drop = nn.Dropout(0.4)
        self.says = nn.Linear(CHANNELS, len(INTENTS))
        self.grams = nn.EmbeddingBag(gram_count, len(INTENTS), mode="sum")
        nn.init.zeros_(self.grams.weight)

    def forward(self, rows, gram_ids, offsets):
        inside = (rows > OUTSIDE).float()[:, None]
        fits = torch.relu(self.patterns(self.tokens(rows).transpose(1, 2))) * inside
        return self.says(self.drop(fits.max(2).values)) + self.grams(gram_ids, offsets)


class Batches:
    """Texts as tensors; in training some grams are left out and some tokens made unknown."""

    def __init__(self, vocabulary, gram_ids, texts):
        self.items = []
        for text in texts:
            rows = vocabulary.read(text)
            self.items.append((torch.tensor(rows), torch.tensor([gram_ids[h] for h in grams(rows) if h in gram_ids], dtype=torch.long)))

    def take(self, indices, training=False):
        longest = max(len(self.items[i][0]) for i in indices)
        rows = torch.zeros(len(indices), longest, dtype=torch.long)
        ids, offsets, at = [], [], 0
        for r, i in enumerate(indices):
            own_rows, own_grams = self.items[i]
            rows[r, : len(own_rows)] = own_rows
            if training:
                own_grams = own_grams[torch.rand(len(own_grams)) > 0.3]
            offsets.append(at)
            at += len(own_grams)
            ids.append(own_grams)
        if training:
            rows = rows.masked_fill((torch.rand(rows.shape) < 0.03) & (rows > END), UNKNOWN)
        return rows, torch.cat(ids), torch.tensor(offsets)


def shuffled(lengths, size):
    """Batches of indices of texts of about one length, in random order."""
    order = list(range(len(lengths)))
    random.shuffle(order)
    out = []
    for start in range(0, len(order), 40 * size):
        block = sorted(order[start : start + 40 * size], key=lambda i: lengths[i])
        out += [block[i : i + size] for i in range(0, len(block), size)]
    random.shuffle(out)
    return out


def train(texts, sources, targets, epochs, smoothing=0.05, size=64):
    """Learns from texts, the first of which (those with sources) decide what has a row or weight."""
    vocabulary = Vocabulary(texts, sources)
    count = Counter(h for t in texts[: len(sources)] for h in set(grams(vocabulary.read(t))))
    gram_ids = {h: i + 1 for i, h in enumerate(sorted(h for h, n in count.items() if n >= RARE_GRAM))}
    data, net = Batches(vocabulary, gram_ids, texts), Net(vocabulary, len(gram_ids) + 1)
    targets = targets * (1 - smoothing) + smoothing / len(INTENTS)
    others = [p for n, p in net.named_parameters() if n != "grams.weight"]
    optimizer = torch.optim.AdamW([{"params": others, "base": 2e-3, "weight_decay": 0.01}, {"params": [net.grams.weight], "base": 3e-3, "weight_decay": 0.0}])
    steps, step = epochs * math.ceil(len(texts) / size), 0
    for epoch in range(epochs):
        net.train()
        for indices in shuffled([len(rows) for rows, _ in data.items], size):
            loss = -(targets[indices] * torch.log_softmax(net(*data.take(indices, True)), 1)).sum(1).mean()
            for g in optimizer.param_groups:
                g["lr"] = g["base"] * (1 - step / steps)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
        print(f"epoch {epoch + 1} of {epochs}: loss {loss.item():.3f}", flush=True)
    net.eval()
    return net, vocabulary, gram_ids


class Quantised:
    """The numbers of model.bin, and the model as Go computes it with them."""

    def __init__(self, net, vocabulary, gram_ids):
        self.vocabulary = vocabulary
        with torch.no_grad():
            self.bias = net.says.bias.numpy()
            weight = net.grams.weight.numpy()
            self.unit = np.float32(np.abs(weight).max() / 127)
            self.said = np.rint(weight / self.unit).astype(np.int8)
            # What each token adds to each channel at each place of the width, counted from the
            # least that any adds there, in steps that keep the sum of the largest within MOST.
            shares = np.einsum("td,cdw->twc", net.tokens.weight.numpy(), net.patterns.weight.numpy())
            least = shares.min(0)
            step = np.maximum((shares.max(0) - least).sum(0), 1e-9) / (MOST - WIDTH / 2)
            self.shares = np.rint((shares - least) / step).astype(np.uint8)
            self.floor = np.rint((-net.patterns.bias.numpy() - least.sum(0)) / step).clip(0, MOST).astype(np.uint8)
            self.says = (net.says.weight.numpy().T * step[:, None]).astype(np.float32)
        loud = sorted(gram_ids.items(), key=lambda r: (-int(np.abs(self.said[r[1]].astype(int)).max()), r[0]))[:MAX_GRAMS]
        slots = 1 << (len(loud) * 4 // 3).bit_length()
        self.slots = np.zeros(slots, [("key", "<u4"), ("said", "u1", len(INTENTS)), ("", "V1")])
        self.of = {}
        for h, i in loud:
            at = h & (slots - 1)
            while self.slots["key"][at]:
                at = (at + 1) & (slots - 1)
            self.slots["key"][at], self.slots["said"][at] = (h >> 32) & 0xFFFFFFFF | 1, self.said[i].astype(int) + 128
            self.of[h] = self.said[i].astype(np.int32)

    def scores(self, text):
        rows = self.vocabulary.read(text)
        said = sum((self.of[h] for h in grams(rows) if h in self.of), np.zeros(len(INTENTS), np.int32))
        padded = [OUTSIDE] * (WIDTH // 2) + rows + [OUTSIDE] * (WIDTH // 2)
        fits = np.array([sum(self.shares[padded[i + w], w].astype(np.int64) for w in range(WIDTH)) for i in range(len(rows))])
        best = np.maximum(fits.max(0) - self.floor.astype(np.int64), 0)
        return self.bias + said * self.unit + best.astype(np.float32) @ self.says

    def write(self, path):
        names = "\n".join(self.vocabulary.tokens).encode()
        with open(path, "wb") as out:
            out.write(b"livehost intent model 2\n")
            out.write(struct.pack("<III", len(self.vocabulary.tokens), len(self.slots), len(names)) + names)
            for part, kind in ((self.bias, "<f4"), (self.unit, "<f4"), (self.floor, "u1"), (self.says, "<f4"), (self.shares, "u1")):
                out.write(np.ascontiguousarray(part, dtype=kind).tobytes())
            out.write(self.slots.tobytes())


def read_labels(path):
    """file:line -> intents, of the format that labels.go describes."""
    out, file = {}, ""
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if not line or line[0] == "#":
            continue
        if line.endswith(":"):
            file = line[:-1]
            continue
        at, names = line.split(" ", 1)
        out[at if ":" in at else f"{file}:{at}"] = names.split("|")
    return out


def read_pairs(path):
    """Lines of two parts with a tab between."""
    return [line.rstrip("\n").split("\t", 1) for line in open(path, encoding="utf-8")]


def target(names):
    """Shares of the intents that labellers read; one may be named more than once."""
    out = np.zeros(len(INTENTS), np.float32)
    for name in names:
        out[INTENTS.index(name)] += 1 / len(names)
    return out


def examples(texts, labels, own):
    """Texts, each with the shares of its intents: of the labelled danmaku, then of our own."""
    return [(texts[at], target(names)) for at, names in labels.items()] + [(t, target(n.split("|"))) for n, t in own]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--texts", required=True, help="file:line, tab, text")
    p.add_argument("--labels", required=True, help="labels to learn from")
    p.add_argument("--own", help="intent, tab, text: invented danmaku")
    p.add_argument("--teacher", help="what a larger model says, as JSON lines {text, p}: mixed with the labels of the same text, learnt alone of others")
    p.add_argument("--leave-out", default="", help="recordings whose name holds this are only measured, not learnt from")
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", help="model.bin")
    p.add_argument("--golden", help="write scores of the own texts, for the Go test")
    o = p.parse_args()
    random.seed(o.seed)
    torch.manual_seed(o.seed)

    texts = dict(read_pairs(o.texts))
    if o.golden and not o.own:
        p.error("--golden takes its texts from --own")
    labels = read_labels(o.labels)
    missing = labels.keys() - texts.keys()
    labels = {at: names for at, names in labels.items() if at in texts}
    if missing:
        print(f"{len(missing)} labels name no danmaku of {o.texts}, e.g. {min(missing)}")
    if not labels:
        p.error(f"no label of {o.labels} names a danmaku of {o.texts}: were the texts written of the same recordings?")
    left_out = {at for at in labels if o.leave_out and o.leave_out in at}
    said = {r["text"]: np.array(r["p"], np.float32) for r in map(json.loads, open(o.teacher, encoding="utf-8"))} if o.teacher else {}
    learnt = [at for at in labels if at not in left_out]
    own = read_pairs(o.own) if o.own else []
    known = examples(texts, {at: labels[at] for at in learnt}, own)
    x, y = [t for t, _ in known], [(want + said.get(t, want)) / 2 for t, want in known]
    sources = [at.rsplit(":", 1)[0] for at in learnt] + ["own"] * len(own)
    unseen = sorted(said.keys() - set(x) - {texts[at] for at in left_out})
    x, y = x + unseen, y + [said[t] for t in unseen]
    print(f"{len(learnt)} labelled danmaku, {len(own)} of our own, {len(unseen)} by the teacher alone")

    model = Quantised(*train(x, sources, torch.tensor(np.array(y)), o.epochs))
    if left_out:
        right = sum(INTENTS[model.scores(texts[at]).argmax()] in labels[at] for at in left_out)
        print(f"{right} of {len(left_out)} right in what was left out ({right / len(left_out):.1%})")
    if o.out:
        model.write(o.out)
        print(f"{o.out}: {len(model.vocabulary.tokens)} tokens, {len(model.of)} grams in {len(model.slots)} slots")
    if o.golden:
        with open(o.golden, "w", encoding="utf-8") as out:
            odd = ["", "a", "''", "贵" * 60, "ab " * 60, "\U0001f600", "zzyzx", "x" * 40, "2045", "m码"]
            for t in odd + [t for _, t in own[:: max(1, len(own) // 200)]]:
                out.write(json.dumps({"text": t, "scores": [round(float(s), 3) for s in model.scores(t)]}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
