"""Pairing of spans in the words of the definition: all pairs in order, each taken if both of its
spans are free."""


def pairs(key, response, *, within_label=False, share=0.0):
    """The pairs as (place in key, place in response, kind).

    Spans are (start, end, label), ends exclusive.
    """
    possible = []
    for k, (start, end, label) in enumerate(key):
        for r, (other_start, other_end, other_label) in enumerate(response):
            tokens = set(range(start, end)) & set(range(other_start, other_end))
            if not tokens or len(tokens) < share * (end - start):
                continue
            if within_label and label != other_label:
                continue
            differing = label != other_label, (start, end) != (other_start, other_end)
            places = (start, end, k), (other_start, other_end, r)
            possible.append((differing, -len(tokens), *places))
    found, keys, responses = [], set(), set()
    for (other_type, other_ends), _, (*_, k), (*_, r) in sorted(possible):
        if k not in keys and r not in responses:
            keys.add(k)
            responses.add(r)
            found.append((k, r, "CI"[other_type] + "SP"[other_ends]))
    return sorted(found)
