"""Two documents in tokens, a key and a response of them."""

KEY = {"one": [[(0, 1), (5, 5)], [(3, 3), (8, 8)]], "two": [[(0, 0), (2, 3), (6, 6)]]}
RESPONSE = {"one": [[(0, 1), (5, 5), (3, 3)]], "two": [[(2, 3), (6, 6)], [(0, 0), (4, 4)]]}
TEXTS = {
    "one": ["Ann", "Lee", ",", "Bo", "and", "she", "met", ".", "He", "left"],
    "two": ["Bo", "saw", "the", "cat", "as", "did", "he"],
}
