"""Sums by blocks are those of adding from left to right, to the last bit, and take few steps."""

import random
from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.engine import jumps
from scorer.engine.jumps import Jumps, Places

HALFWAY = [2.0**-52, 2.0**-53, 3 * 2.0**-53, 2.0**-40, 1.0, 1.5]
"""What lies between two doubles beside sums that few of them make."""
SHARES = st.builds(lambda n, size: n / size, st.integers(0, 9), st.integers(1, 9))
VALUES = st.one_of(SHARES, st.floats(0, 1), st.sampled_from(HALFWAY), st.sampled_from([-0.25, 1e300, 5e-324]))


def limits(draw):
    """Limits so low that small sums have blocks, blocks of blocks, and blocks of many different terms."""
    values = {"BLOCK": draw(st.sampled_from([1, 2, 8])), "BLOCKS": draw(st.integers(2, 3)), "DIFFERENT": draw(st.integers(0, 3))}
    return patch.multiple(jumps, **values)


@given(st.data())
def test_as_if_added_one_by_one(data):
    """Whatever the numbers, what changed in between, and which places are added."""
    draw = data.draw
    terms = draw(st.lists(st.integers(-1, draw(st.integers(0, 9))), max_size=80))
    with limits(draw):
        asked = Jumps(Places(np.array(terms, np.int64), 10))
        values = [0.0] * 10
        for _ in range(draw(st.integers(1, 4))):
            numbers = draw(st.lists(st.integers(0, 9), unique=True))
            for number in numbers:
                values[number] = draw(VALUES)
            asked.set(np.array(numbers, np.int64), np.array([values[number] for number in numbers]))
            for _ in range(2):
                cuts = sorted(draw(st.lists(st.integers(0, len(terms)), max_size=6)))
                ranges = draw(st.sampled_from([[(0, len(terms))], list(zip(cuts[::2], cuts[1::2]))]))
                assert asked.sum(rows(ranges)) == added_one_by_one(values, terms, ranges)


def rows(ranges):
    return np.array(ranges, np.int64).reshape(len(ranges), 2)


def added_one_by_one(values, terms, ranges):
    total = 0.0
    for begin, stop in ranges:
        for term in terms[begin:stop]:
            total += values[term] if term >= 0 else 0.0
    return total


@pytest.mark.parametrize("block", [1, 2, 5])
@pytest.mark.parametrize("different", [0, 2, 100])
def test_as_if_added_one_by_one_while_a_few_change(different, block):
    """What is known of a block is made anew once a term of it has another value, or its place another term."""
    draw = random.Random(f"{different} {block}")
    with patch.multiple(jumps, BLOCK=block, BLOCKS=3, DIFFERENT=different):
        for count in (1, 2, 7, 30, 90):
            length = draw.randrange(20, 120)
            terms = [draw.randrange(-1, count) for _ in range(length)]
            if draw.random() < 0.5:
                # The places of each term lie together, as those of the mentions of a cluster do.
                terms.sort(key=lambda term: (term + count // 2) % count)
            places = Places(np.array(terms, np.int64), count)
            asked = Jumps(places)
            values = [0.0] * count
            for _ in range(25):
                put = draw.sample(range(length), draw.choice([0, 0, 1, 3]))
                for place in put:
                    terms[place] = draw.choice([0, count - 1, draw.randrange(count)])
                places.put(put, [terms[place] for place in put])
                some = draw.sample(range(count), draw.choice([0, 1, 1, min(2, count), count]))
                for term in some:
                    values[term] = draw.choice(
                        [draw.randrange(1, 9) / draw.randrange(1, 9), draw.random(), 2.0 ** -draw.randrange(60)]
                    )
                asked.set(np.array(some, np.int64), np.array([values[term] for term in some]))
                begin = draw.randrange(length)
                for ranges in (
                    [(0, length)],
                    [(begin, length)],
                    [(0, begin), (draw.randrange(begin, length), length)],
                    [(begin // 3, begin)],
                ):
                    assert asked.sum(rows(ranges)) == added_one_by_one(values, terms, ranges)


def test_a_tie_goes_to_the_even_double():
    """By hand: 2 ** 53 + 1 lies halfway, and so does 2 ** 53 + 2 + 1; the one is rounded down, the other up."""
    with patch.object(jumps, "BLOCK", 1):
        asked = Jumps(Places(np.array([0, 1, 2, 1]), 3))
        asked.set(np.arange(3), np.array([2.0**53, 1.0, 2.0]))
        assert asked.sum(rows([(0, 2)])) == 2.0**53
        assert asked.sum(rows([(0, 4)])) == 2.0**53 + 4


def steps(asked, ranges):
    """The sum of these ranges, and how many numbers are added for it one by one and blocks looked at."""
    found = Counter()

    def noting(name, of):
        real = getattr(Jumps, name)

        def call(*arguments):
            found[name] += of(arguments)
            return real(*arguments)

        return patch.object(Jumps, name, call)

    with noting("_added", lambda given: sum(map(len, given[2]))), noting("_rounded", lambda _: 1):
        return asked.sum(rows(ranges)), sum(found.values())


def limited():
    return patch.multiple(jumps, BLOCK=8, BLOCKS=4, DIFFERENT=4)


def shares(different):
    """Fractions of which each fourth is 0, as many of LEA's are."""
    return np.array([(number % 4 > 0) / (7 + 2 * number) for number in range(different)])


@pytest.mark.parametrize(("different", "changing"), [(100, False), (3, False), (3, True)])
def test_sixteen_times_as_many_take_a_few_steps_more(different, changing):
    """As many for each power of two that a sum goes through, and not as many as there are numbers."""
    found = []
    for terms in (512, 16 * 512):
        with limited():
            asked = Jumps(Places(np.arange(terms) % different, different))
            for time in range(5):
                if changing or not time:
                    asked.set(np.arange(different), shares(different) / (1 + time))
                _, count = steps(asked, [(0, terms)])
        found.append(count)
    some, more = found
    assert some < 512 / 4
    assert more < 3 * some


def test_one_that_changes_costs_what_is_beside_it():
    """A term that stands far back has its own block made anew, and those that hold that one; the rest is known."""
    with limited():
        asked = Jumps(Places(np.arange(2048), 2048))
        asked.set(np.arange(2048), 1 / (7 + 2 * np.arange(2048)))
        for _ in range(2):
            steps(asked, [(0, 2048)])
        _, known = steps(asked, [(0, 2048)])
        asked.set(np.array([2000]), np.array([0.5]))
        _, anew = steps(asked, [(0, 2048)])
        assert known < anew < known + 40


def test_one_that_is_put_elsewhere_costs_what_is_beside_it_there():
    """A term that was the first of all, and stands far back now: nothing between the two is made anew when it changes."""
    with limited():
        places = Places(np.arange(2048), 2048)
        asked = Jumps(places)
        asked.set(np.arange(2048), 1 / (7 + 2 * np.arange(2048)))
        places.put([0], [1])
        places.put([2000], [0])
        for _ in range(2):
            steps(asked, [(0, 2048)])
        _, known = steps(asked, [(0, 2048)])
        asked.set(np.array([0]), np.array([0.5]))
        _, anew = steps(asked, [(0, 2048)])
        assert known < anew < known + 40


@pytest.mark.parametrize("begin", [2.0**-30, 1.0])
@pytest.mark.parametrize("least", [0.5, 0.75])
@pytest.mark.parametrize("most", [0.5, 1])
def test_a_small_sum_before_a_block_of_large_numbers(begin, least, most):
    """So many multiples of the last bit of a small sum do not fit into 64 bits."""
    count = jumps.BLOCK
    values = np.concatenate(([begin], np.zeros(count - 1), np.linspace(least, most, count)))
    terms = np.arange(2 * count)
    asked = Jumps(Places(terms, 2 * count))
    asked.set(terms, values)
    assert asked.sum(rows([(0, 2 * count)])) == added_one_by_one(values.tolist(), terms, [(0, 2 * count)])
