// Package intent says what a danmaku wants: one of a fixed list, one per reply skill.
//
// It owns the list of intents and the model that decides between them: a linear
// model over grams of one to three tokens and one convolution with max pooling, whose
// weights are in model.bin. docs/intents.md says what each intent is and how the
// weights are made (eval/intents).
//
// Invariants: Of is pure and safe for concurrent use; it allocates nothing; only
// the first tokens of a long text are read.
package intent
