// Package model is the port to a policy: one chat completion with tools.
//
// It owns the request and response vocabulary, the classes of failure, and the
// cleaning that every provider's answer needs: think tags, tool calls written as
// text. It does not own any protocol (model/openaimodel), the choice of a
// replica (routing) or budgets (runner).
//
// Invariants: Content never holds reasoning or a complete tool call; an answer
// whose stream was cut is an error, never a short answer; tool calls keep the
// order in which the policy made them.
package model
