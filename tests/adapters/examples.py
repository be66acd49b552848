"""Two documents in tokens, a key and a response of them, and what a scorer finds, by hand."""

KEY = {"one": [[(0, 1), (5, 5)], [(3, 3), (8, 8)]], "two": [[(0, 0), (2, 3), (6, 6)]]}
RESPONSE = {"one": [[(0, 1), (5, 5), (3, 3)]], "two": [[(2, 3), (6, 6)], [(0, 0), (4, 4)]]}
TEXTS = {
    "one": ["Ann", "Lee", ",", "Bo", "and", "she", "met", ".", "He", "left"],
    "two": ["Bo", "saw", "the", "cat", "as", "did", "he"],
}
"""MUC: 1 of 2 links of the key is found, and 1 of 2 of the response is right; then 1 of 2, and 1 of
2."""

LINKS = (2, 4, 2, 4)
"""MUC's counts for both."""
