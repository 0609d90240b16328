// Fisher's and Yates's shuffle, all steps at once. For i = 0, 1, ... place i of n is swapped with
// place target(i) >= i, so nothing touches place i after step i, and what it then gets is what
// stood at its target: what the last step before i with the same target left there, or what always
// stood there. A step k leaves at its target what it found at place k, which in turn is what the
// last step with target k left. So each place is found by going back along a few steps (about log
// n), once the steps of each target are on a list.

// Rows of `count` places, each with its own part of the stream. `heads` begins with zeros; a step
// is noted as 1 more than its number, so that 0 is none. `fed`, if not null, is drawn from instead.
template <class Index>
KERNEL void list_targets(Stream stream, const Stream* fed, Index rows, Index count,
                         unsigned long long blocks, Index* targets, Index* heads, Index* next) {
  if (fed != nullptr) stream = *fed;
  for (Index at = first<Index>(); at < rows * count; at += stride<Index>()) {
    const Index row = at / count, i = at - row * count;
    Index target = i;
    if (i + 1 < count) {
      const Words words = words_of(stream, row * blocks + i / 2);
      const unsigned int low = i % 2 == 0 ? words.at[0] : words.at[2];
      const unsigned int high = i % 2 == 0 ? words.at[1] : words.at[3];
      const unsigned long long word = low | (unsigned long long)high << 32;
      target = i + (Index)__umul64hi(word, count - i);
    }
    targets[at] = target;
    if (target != i) next[at] = atomicExch(&heads[row * count + target], i + 1);
  }
}

// The largest step before `limit` on the list of a target, or 0.
template <class Index>
DEVICE Index last_before(Index step, const Index* next, Index limit) {
  Index last = 0;
  for (; step != 0; step = next[step - 1])
    if (step < limit && step > last) last = step;
  return last;
}

template <class Index>
KERNEL void find_last_steps(Index rows, Index count, const Index* heads, const Index* next,
                            Index* last) {
  for (Index at = first<Index>(); at < rows * count; at += stride<Index>()) {
    const Index begin = at / count * count;
    last[at] = last_before(heads[at], next + begin, (Index)-1);
  }
}

// Which slice comes to each place.
template <class Index>
KERNEL void find_order(Index rows, Index count, const Index* targets, const Index* heads,
                       const Index* next, const Index* last, Index* order) {
  for (Index at = first<Index>(); at < rows * count; at += stride<Index>()) {
    const Index begin = at / count * count, i = at - begin, target = targets[at];
    Index step = target == i ? i + 1 : last_before(heads[begin + target], next + begin, i + 1);
    Index place = target;
    while (step != 0) {
      place = step - 1;
      step = last[begin + place];
    }
    order[at] = place;
  }
}
