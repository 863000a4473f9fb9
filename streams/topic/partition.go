package topic

import "livehost/streams/event"

// PartitionOf is the partition, of n, that a room's records are in: what
// Kafka's default partitioner computes for the room as the key.
func PartitionOf(room event.RoomID, n int32) int32 {
	return int32(murmur2(string(room))&0x7fffffff) % n
}

// murmur2 is the 32-bit MurmurHash2 with the seed of the Java client.
func murmur2(key string) uint32 {
	const (
		seed uint32 = 0x9747b28c
		m    uint32 = 0x5bd1e995
		r           = 24
	)
	h := seed ^ uint32(len(key))
	for len(key) >= 4 {
		k := uint32(key[0]) | uint32(key[1])<<8 | uint32(key[2])<<16 | uint32(key[3])<<24
		key = key[4:]
		k *= m
		k ^= k >> r
		k *= m
		h *= m
		h ^= k
	}
	switch len(key) {
	case 3:
		h ^= uint32(key[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(key[1]) << 8
		fallthrough
	case 1:
		h ^= uint32(key[0])
		h *= m
	}
	h ^= h >> 13
	h *= m
	h ^= h >> 15
	return h
}
