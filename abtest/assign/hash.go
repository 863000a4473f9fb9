package assign

import "strconv"

// Slots is the number of slots of a layer, and of buckets of the hash.
const Slots = 10_000

// Bucket is GrowthBook's hash version 2 as an integer in [0, Slots): their value
// is Bucket / 10,000.
func Bucket(seed, id string) int { return int(hash(seed, id) % Slots) }

// hash is FNV-1a of the decimal FNV-1a of seed+id: the second round breaks the
// correlation of ids that differ in their last bytes only.
func hash(seed, id string) uint32 {
	var digits [10]byte
	return fnv1a(offset32, strconv.AppendUint(digits[:0], uint64(fnv1a(fnv1a(offset32, seed), id)), 10))
}

const (
	offset32 = 2166136261
	prime32  = 16777619
)

// fnv1a is hash/fnv without its allocations.
func fnv1a[T string | []byte](h uint32, s T) uint32 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * prime32
	}
	return h
}
