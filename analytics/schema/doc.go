// Package schema is the numbered SQL of the analytics database and the command
// that brings a database up to it.
//
// It owns tables, views and their migrations, and the lock that keeps two
// processes from migrating at once. It writes no rows.
//
// Invariants: a migration that has shipped is never edited, a new one is added;
// a database newer than this binary is refused, not touched; analysts read v_* views.
package schema
