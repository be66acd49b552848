"""Pairing of spans in the words of the definition: all pairs in order, each taken if both of its spans are free."""


def pairs(key, response, *, within_label=False, share=0.0):
    """The pairs as (place in key, place in response, kind).

    Spans are (start, end, label), ends exclusive.
    """
    order = [
        {
            at: rank
            for rank, at in enumerate(
                sorted(range(len(spans)), key=lambda at, spans=spans: (*spans[at][:2], at))
            )
        }
        for spans in (key, response)
    ]
    possible = []
    for k, (start, end, label) in enumerate(key):
        for r, (other_start, other_end, other_label) in enumerate(response):
            tokens = set(range(start, end)) & set(range(other_start, other_end))
            if (
                not tokens
                or len(tokens) < share * (end - start)
                or (within_label and label != other_label)
            ):
                continue
            equal, coextensive = label == other_label, (start, end) == (other_start, other_end)
            phase = 2 * (not equal) + (not coextensive)
            possible.append(
                (
                    phase,
                    -len(tokens),
                    order[0][k],
                    order[1][r],
                    k,
                    r,
                    "CI"[not equal] + "SP"[not coextensive],
                )
            )
    found, keys, responses = [], set(), set()
    for *_, k, r, kind in sorted(possible):
        if k not in keys and r not in responses:
            keys.add(k)
            responses.add(r)
            found.append((k, r, kind))
    return sorted(found)
