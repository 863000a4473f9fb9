#!/usr/bin/env python3
"""Fine-tunes a small Chinese BERT on the labels, twice, and lets both read many variations of them.

    python3 eval/intents/teacher.py --bert bge-small-zh-v1.5.onnx --tokenizer tokenizer.json \
        --texts texts.tsv --labels eval/intents/labels/train.labels --own own.tsv --out teacher.jsonl

What it writes is for train.py --teacher: the small model learns more from what larger
ones say of a text and its variations than from the one label. What is written is the
mean of what they read. Needs numpy, torch, transformers,
tokenizers and onnx, and the weights of bge-small-zh-v1.5 as ONNX (a model of 24 million
parameters, MIT licence). Half an hour each on two cores with bfloat16.
"""

import argparse
import copy
import json
import math
import random
import time
from collections import Counter

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch import nn
from train import INTENTS, TOKEN, examples, read_labels, read_pairs, shuffled
from transformers import BertConfig, BertModel

LAYERS, WIDTH = 4, 512
MASK, FIRST_CHARACTER = 103, 104  # of the tokenizer's vocabulary: rows below are marks


def pretrained(path):
    """BertModel with the weights of an exported one, whose matrices have lost their names."""
    given = {i.name: torch.tensor(numpy_helper.to_array(i)) for i in onnx.load(path).graph.initializer}
    bert = BertModel(BertConfig(vocab_size=21128, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=8, intermediate_size=4 * WIDTH), add_pooling_layer=False)
    parts = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense"]
    names = [f"encoder.layer.{layer}.{part}.weight" for layer in range(LAYERS) for part in parts]
    matrices = sorted((n for n in given if n.startswith("onnx::MatMul")), key=lambda n: int(n.rsplit("_", 1)[1]))
    given.update({name: given[m].T for name, m in zip(names, matrices, strict=True)})
    missing = [n for n in bert.state_dict() if n not in given and "position_ids" not in n]
    if missing:
        raise SystemExit(f"{path} is not the model this was written for: it lacks {missing}")
    bert.load_state_dict({n: given.get(n, w).clone() for n, w in bert.state_dict().items()})
    return bert, given["embeddings.word_embeddings.weight"].numpy()


class Teacher(nn.Module):
    def __init__(self, bert, tokenizer):
        super().__init__()
        self.bert, self.tokenizer = bert, tokenizer
        self.drop, self.says = nn.Dropout(0.1), nn.Linear(2 * WIDTH, len(INTENTS))

    def forward(self, ids, mask):
        hidden = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self.says(self.drop(torch.cat([hidden[:, 0], mean], 1)))

    def batches(self, texts, size):
        """Indices of texts of about one length, in random order, with their tensors."""
        ids = [self.tokenizer.encode(t).ids[:48] for t in texts]
        for part in shuffled([len(i) for i in ids], size):
            rows = torch.zeros(len(part), max(len(ids[i]) for i in part), dtype=torch.long)
            mask = torch.zeros_like(rows)
            for r, i in enumerate(part):
                rows[r, : len(ids[i])], mask[r, : len(ids[i])] = torch.tensor(ids[i]), 1
            yield part, rows, mask

    def learn(self, texts, targets, epochs, rate=1.2e-4, size=64):
        head = {"params": self.says.parameters(), "base": 5 * rate}
        optimizer = torch.optim.AdamW([{"params": self.bert.parameters(), "base": rate}, head], lr=rate, weight_decay=0.01, fused=True)
        steps, step, began = epochs * math.ceil(len(texts) / size), 0, time.time()
        targets = targets * 0.96 + 0.04 / len(INTENTS)
        self.train()
        for _ in range(epochs):
            for part, rows, mask in self.batches(texts, size):
                if random.random() < 0.5:  # in half of the batches a few tokens are hidden
                    rows = rows.masked_fill((torch.rand(rows.shape) < 0.06) & (rows >= FIRST_CHARACTER), MASK)
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    scores = self(rows, mask)
                loss = -(targets[part] * torch.log_softmax(scores.float(), 1)).sum(1).mean()
                for g in optimizer.param_groups:
                    g["lr"] = g["base"] * min(1, step / (0.06 * steps)) * (1 - step / steps)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.parameters(), 1.0)
                optimizer.step()
                step += 1
                if step % 500 == 0:
                    print(f"step {step} of {steps}: loss {loss.item():.3f}, {time.time() - began:.0f} s", flush=True)

    def read(self, texts):
        """Probabilities per intent."""
        out = np.zeros((len(texts), len(INTENTS)), np.float32)
        self.eval()
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            for part, rows, mask in self.batches(texts, 256):
                out[part] = torch.softmax(self(rows, mask).float(), 1).numpy()
        return out


class Variations:
    """Texts changed so that they may mean something else: the teacher says what."""

    def __init__(self, texts, goods, characters):
        self.texts, self.goods = texts, sorted(goods)
        self.named, self.near = set(goods), characters

    def english(self, text):
        return not any("\u4e00" <= c <= "\u9fff" for c in text)

    def other_goods(self, text):
        spots = [(i, n) for n in (4, 3, 2) for i in range(len(text) - n + 1) if text[i : i + n] in self.named]
        if not spots:
            return None
        i, n = random.choice(spots)
        return text[:i] + random.choice(self.goods) + text[i + n :]

    def without_one(self, text):
        parts = TOKEN.findall(text)
        if len(parts) < 3:
            return None
        del parts[random.randrange(len(parts))]
        return "".join(parts).replace("  ", " ").strip()

    def near_characters(self, text):
        parts = list(text)
        spots = [i for i, c in enumerate(parts) if c in self.near]
        if not spots:
            return None
        for i in random.sample(spots, min(len(spots), 1 if len(spots) < 6 else 2)):
            parts[i] = random.choice(self.near[parts[i]])
        return "".join(parts)

    def part(self, text):
        parts = TOKEN.findall(text)
        if len(parts) < 5:
            return None
        at = random.randint(2, len(parts) - 2)
        return "".join(parts[:at] if random.random() < 0.5 else parts[at:]).strip()

    def two(self, text):
        other = random.choice(self.texts)
        if self.english(text) != self.english(other) or len(text) + len(other) > 24 and not self.english(text):
            return None
        return text + (" " if self.english(text) else random.choice(["", ","])) + other

    def crossed(self, text):
        a, b = TOKEN.findall(text), TOKEN.findall(random.choice(self.texts))
        if len(a) < 3 or len(b) < 3 or self.english(text) != self.english("".join(b)):
            return None
        return "".join(a[: random.randint(1, len(a) - 1)] + b[random.randint(1, len(b) - 1) :])

    def take(self, n):
        ways = [self.other_goods, self.other_goods, self.without_one, self.near_characters, self.near_characters, self.part, self.two, self.crossed]
        out, known = [], set(self.texts)
        for _ in range(20 * n):  # few texts have few variations
            if len(out) == n:
                break
            text = random.choice(ways)(random.choice(self.texts))
            if text and text not in known:
                known.add(text)
                out.append(text)
        return out


def near_characters(texts, tokenizer, vectors, neighbours=8, seen=8):
    """Of each frequent Chinese character those whose vectors are nearest."""
    count = Counter(c for t in texts for c in t if "\u4e00" <= c <= "\u9fff")
    chars = [c for c, n in count.items() if n >= seen and tokenizer.token_to_id(c) is not None]
    if not chars:
        return {}
    m = vectors[[tokenizer.token_to_id(c) for c in chars]]
    m /= np.linalg.norm(m, axis=1, keepdims=True)
    return {c: [chars[j] for j in np.argsort(-row)[1 : 1 + neighbours]] for c, row in zip(chars, m @ m.T)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--bert", "--tokenizer", "--texts", "--labels", "--own", "--out"):
        p.add_argument(name, required=True)
    p.add_argument("--leave-out", default="", help="recordings whose name holds this are not learnt from")
    p.add_argument("--variations", type=int, default=220_000)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--teachers", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    random.seed(o.seed)
    torch.manual_seed(o.seed)

    all_texts = dict(read_pairs(o.texts))
    labels = {at: names for at, names in read_labels(o.labels).items() if at in all_texts and not (o.leave_out and o.leave_out in at)}
    known = examples(all_texts, labels, read_pairs(o.own))
    texts, targets = [t for t, _ in known], torch.tensor(np.array([want for _, want in known]))

    tokenizer = Tokenizer.from_file(o.tokenizer)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    goods = {t for at, t in all_texts.items() if labels.get(at) == ["product"] and 2 <= len(t) <= 4 and all("\u4e00" <= c <= "\u9fff" for c in t)}
    bert, vectors = pretrained(o.bert)
    texts += Variations(texts, goods, near_characters(texts, tokenizer, vectors)).take(o.variations)
    said = np.zeros((len(texts), len(INTENTS)), np.float32)
    for number in range(o.teachers):
        torch.manual_seed(o.seed + number)
        teacher = Teacher(copy.deepcopy(bert), tokenizer)
        teacher.learn(texts[: len(known)], targets, o.epochs)
        said += teacher.read(texts) / o.teachers
    with open(o.out, "w", encoding="utf-8") as out:
        for text, p in zip(texts, said):
            out.write(json.dumps({"text": text, "p": [round(float(x), 3) for x in p]}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
