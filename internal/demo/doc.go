// Package demo plays a room and shows what happens.
//
// It owns the player, which publishes a room's items at their room time, and the
// printer, which follows the log and tells it in plain words. It starts no
// server and wires no stage (internal/app does), and it judges nothing: the
// summary is eval/audit's.
//
// Invariants: an item is published at or after its moment and never before, with
// its moment as the platform time; after a restart what the log holds is not
// published again; neither player nor printer ever waits for a stage.
package demo
