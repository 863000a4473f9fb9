// Package intents compares what the aggregator reads in recorded danmaku with what
// people read in them, and makes the weights by which it reads.
//
// It owns the format of label files, the labels themselves (labels/: train.labels and
// own.tsv to learn from, the test sets to measure by) and train.py, which writes
// aggregator/intent/model.bin. docs/intents.md is the guide by which people label.
//
// Invariants: labels name danmaku by file and line and hold no text of them, but for
// own.tsv, whose danmaku are invented; a danmaku of a test set is never in train.labels.
package intents
