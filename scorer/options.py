# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The table of options: every choice, apart from the metrics, that can change a figure.

A row for each.

From a row come a keyword of the library, an argument of the commands, a column of manifests, a
field of signatures and a line of the documentation. So a new option is a row here, what it does,
and its name in the declarations of what honours it: every part of the program that counts declares
next to its code which options it honours, and any other is refused.

The settings of shared tasks, each under one word: keywords of `scorer.score`.

>>> from scorer import score
>>> a = [[(0, 0), (2, 2)], [(4, 4)]]
>>> score(a, a, **settings("conll12")).ratios("conll").f1
1.0
"""

from __future__ import annotations

from conll.errors import check_choice, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Container, Iterable, Mapping, Sequence
    from typing import Any, Unpack

    from scorer.keywords import OptionKeywords

    Value = str | int | float | bool | None
    """The value of an option."""

    Honoured = Mapping[str, Container[Value]]
    """The options that a part of the program honours: for each the values besides its default."""


KINDS: dict[str, tuple[Any, str]] = {
    "choice": (str, "text"),
    "text": (str, "text"),
    "pattern": (str, "a regular expression"),
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "flag": (bool, "true or false"),
}
"""The kinds of options: the type of their values, and what messages call such a value."""


class Option:
    """An option of scoring: its values, its help, its part in signatures.

    Attributes:
        default: The value unless another is chosen; None where there is no value.
        words: The values allowed, each with what it means; where there is a placeholder, only None.
        kind: "choice" (one of the words), "text", "pattern", "int", "float" or "flag".
        text: The placeholder in help for a value that is not one of the words.
        help: The help of the argument, with {default} for the default.
        about: What a user has to know before the values mean something; options that have it are
            explained at the end of `scorer score --help`.
        rare: The option concerns what is rare, or should not occur, and help lists it last.
        filters: Whether it leaves out mentions, as a filter of `scorer.match.filters`.
        per_corpus: It is about a key and a response as a whole, and not about a document.
        of_files: It is about what files say beside clusters, and clusters in memory do not.
        signed: Whether it stands in signatures "always", when it is "chosen" and not the default,
            or "never", as no figure depends on it.
        field: Its name in signatures, where that is another one.
    """

    name = ""
    kind = "choice"
    text = ""
    about = ""
    rare = False
    filters = False
    per_corpus = False
    of_files = False
    signed = "chosen"
    field = ""

    def __init__(
        self,
        default: str | None,
        words: Mapping[str | None, str],
        help: str,  # noqa: A002  the word of argparse
        **others: Any,
    ) -> None:
        self.default = default
        self.words = words
        self.help = help
        vars(self).update(others)

    @property
    def choices(self) -> tuple[str, ...]:
        """The values to choose from; none where any text may be one."""
        return tuple(value for value in self.words if value is not None)

    def checked(self, value: object) -> Value:
        """Return the value; a number or a flag may be written as text, as in a manifest.

        Raises:
            ValueError: The value is not one of those allowed.
            TypeError: The value is of another kind.
        """
        if value is None and None in self.words:
            return None
        types, _ = KINDS[self.kind]
        if isinstance(value, str) and types is not str:
            value = self._read(value)
        # In Python, True is also a number.
        if not isinstance(value, types) or isinstance(value, bool) != (self.kind == "flag"):
            raise TypeError(f"{self.name} must be {self._allowed()}, not {shown(value)}")
        if self.kind == "choice" and value not in self.words:
            check_choice(self.name, value, self.choices)
        if self.kind == "pattern":
            compiled(str(value))
        checked: Value = value
        return checked

    def _allowed(self) -> str:
        """Name the values allowed, for a message."""
        names = [KINDS[self.kind][1]]
        if self.kind == "choice":
            names = list(map(repr, self.choices))
        if None in self.words:
            names.append("None")
        if len(names) == 1:
            return names[0]
        return f"{', '.join(names[:-1])} or {names[-1]}"

    def _read(self, text: str) -> Value:
        """Read a number or a flag."""
        try:
            if self.kind == "flag":
                return {"true": True, "false": False}[text.lower()]
            return int(text) if self.kind == "int" else float(text)
        except (KeyError, ValueError):
            raise ValueError(f"{self.name}: {text!r} is not {KINDS[self.kind][1]}") from None


TABLE: dict[str, Option] = {
    "duplicates": Option(
        default="reference",
        words={
            "reference": (
                "as scorer.pl: all are kept in the key; in the response, only the first if the "
                "mention is in the key"
            ),
            "first": "keep the first, on both sides",
            "last": "keep the last, on both sides",
            "keep": "keep all",
            "corefud": "as CorefUD's scorer: keep the first in each cluster",
            "error": "refuse to score",
        },
        about="mentions that occur more than once in the key or in the response",
        help="how repeated mentions are scored (default: {default})",
        rare=True,
        signed="always",
    ),
    "singletons": Option(
        default="keep",
        words={
            "keep": "clusters of one mention are scored",
            "drop": "clusters of one mention are left out on both sides",
            "drop-response": "clusters of one mention are left out of the response",
        },
        help=("whether clusters of one mention are scored (default: {default})"),
        rare=True,
        filters=True,
        signed="always",
    ),
    "missing_documents": Option(
        default="empty",
        words={
            "empty": "a document missing from the response is scored as empty",
            "error": "refuse to score",
        },
        help="how documents missing from the response are scored (default: {default})",
        rare=True,
        per_corpus=True,
        signed="never",
    ),
    "documents": Option(
        default=None,
        words={None: "all documents of the key"},
        kind="text",
        text="PATTERN",
        help=(
            "score only the document of this name, or those whose names match this regular "
            "expression"
        ),
        per_corpus=True,
        signed="always",
        field="filter",
    ),
    "join_documents": Option(
        default=None,
        words={None: "each document is scored by itself"},
        kind="pattern",
        text="PATTERN",
        help=(
            "join documents in whose names this regular expression captures the same text, and "
            "their clusters of equal ids where ids go across documents"
        ),
        rare=True,
        per_corpus=True,
    ),
    "blanc_edges": Option(
        default="recasens2011",
        words={
            "recasens2011": (
                "a kind of link is left out of BLANC if the key has none, as in scorer.pl"
            ),
            "luo2014": "a kind of link is left out of BLANC if neither side has one",
        },
        help=(
            "when BLANC leaves out a kind of link: if the key has none (recasens2011, as "
            "scorer.pl), or if neither side has any (luo2014)"
        ),
        rare=True,
        signed="always",
    ),
    "match": Option(
        default="exact",
        words={
            "exact": "mentions match if they are equal",
            "head": "then mentions with the same head, the largest overlap first",
            "partial": "then a response mention inside a key mention that contains its head",
            "min": "then a response mention inside a key mention that contains its Min",
            "craft": "then a response mention inside the first piece of a key mention",
        },
        about="CorefUD and other files with heads",
        help="how key and response mentions are matched (default: {default})",
        signed="always",
    ),
    "zeros": Option(
        default="linear",
        words={
            "linear": "empty nodes match by position",
            "dependent": "empty nodes match by their dependencies in the sentence",
            "drop": "empty nodes are left out",
        },
        help="how empty nodes are matched (default: {default})",
        signed="always",
    ),
    "split_antecedents": Option(
        default="ignore",
        words={
            "ignore": "ignore split antecedents",
            "score": "score a split antecedent as one more mention of its entity",
            "only": "metrics of clusters count the elements of split antecedents alone",
        },
        help="how split antecedents are scored (default: {default})",
        rare=True,
        of_files=True,
    ),
    "layer": Option(
        default="identity",
        words={
            "identity": "coreference",
            "deixis": "discourse deixis, in files of Universal Anaphora",
        },
        help="which anaphora is scored (default: {default})",
        rare=True,
        of_files=True,
    ),
    "typed": Option(
        default=None,
        words={None: "types of mentions are not compared"},
        kind="text",
        text="FIELD",
        help=("match mentions only if this attribute, such as etype, is also equal"),
        rare=True,
        of_files=True,
    ),
    "like": Option(
        default=None,
        words={
            None: "mentions are matched and counted as `match` and `zeros` say",
            "corefud-1.2": "mentions are matched and counted as CorefUD's scorer 1.2 does",
            "ua-2025-01-30": (
                "mentions are matched and counted as the Universal Anaphora scorer does"
            ),
            "bookcoref": "with windows: they are cut as by BookCoref's evaluator",
        },
        help="reproduce the matching and counting of this program",
    ),
    "align": Option(
        default="auto",
        words={
            "auto": "output of language models is aligned with the words of the key",
            "key": "any response is aligned",
        },
        help="which responses are aligned with the words of the key (default: {default})",
        rare=True,
        of_files=True,
        per_corpus=True,
    ),
    "document_names": Option(
        default="auto",
        words={
            "auto": (
                "documents whose names differ by a known convention, such as bc/x_0 and "
                "(bc/x); part 000, are matched if no names are equal"
            ),
            "exact": "only documents of equal names are matched",
        },
        help="how documents of key and response are matched (default: {default})",
        rare=True,
        per_corpus=True,
        # Whatever is scored with either of them has the same figures.
        signed="never",
    ),
    "rounding": Option(
        default="round",
        words={
            "round": "percentages are rounded to two decimals",
            "truncate": "percentages are cut off after two decimals, as in scorer.pl",
        },
        help="how percentages are rounded to two decimals (default: {default})",
    ),
}
"""All options by name, in the order of help and signatures."""

for _name, _option in TABLE.items():
    _option.name = _name
    _option.field = _option.field or _name


class _Every:
    def __contains__(self, value: object) -> bool:
        return True


EVERY = _Every()
"""All values of an option, in a declaration of what is honoured."""

OUTSIDE_MATCHING: Honoured = {
    **{name: EVERY for name, option in TABLE.items() if option.per_corpus},
    # Joined documents have neither heads nor anaphora besides coreference.
    "join_documents": (),
    "blanc_edges": EVERY,
    "rounding": EVERY,
}
"""What is honoured however mentions are matched: files are paired and documents chosen before, and
ratios are made of counts, and rounded, after."""

BESIDE = ("metrics", "preset", "strict", "key_format", "response_format")
"""What most functions take beside options, for messages."""

WORDS = frozenset().union(*(option.choices for option in TABLE.values()))
"""All values that may be chosen."""


def unknown_option(name: str, known: Sequence[str]) -> TypeError:
    """Make the error for a keyword that is none of those known."""
    from conll.errors import did_you_mean

    nearest = did_you_mean(name, known)
    return TypeError(f"unknown option {name!r}; choose from: {', '.join(known)}{nearest}")


class Options:
    """Options of scoring: each has one value; frozen, and equal by value.

    Attributes:
        duplicates: Repeated mentions: reference, first, last, keep, corefud or error.
        singletons: Clusters of one mention: keep, drop or drop-response.
        missing_documents: Documents that the response lacks: empty or error.
        documents: The documents to score: the name of one, or a regular expression that is found in
            their names; None for all.
        join_documents: A regular expression; documents in whose names it captures the same text are
            joined, and their clusters of equal ids where ids go across documents.
        blanc_edges: When BLANC leaves out a kind of link: recasens2011 or luo2014.
        match: How mentions are matched: exact, head, partial, min or craft.
        zeros: How empty nodes are matched: linear, dependent or drop.
        split_antecedents: How split antecedents are scored: ignore, score or only.
        layer: Which anaphora is scored: identity or deixis.
        typed: The attribute, such as etype, that mentions have to share; None for none.
        like: The program to imitate: corefud-1.2, ua-2025-01-30 or, with windows, bookcoref; None
            for none.
        align: Which responses are aligned with the words of the key: auto or key.
        document_names: How documents are matched: auto or exact.
        rounding: How percentages are rounded: round or truncate.

    Raises:
        ValueError: A value is not one of an option's.
        TypeError: There is no such option, or a value is no text.

    Examples:
        >>> Options(singletons="drop")
        Options(singletons='drop')
        >>> Options(singletons="dorp")
        Traceback (most recent call last):
        ValueError: singletons: 'dorp' is not one of keep, drop, drop-response; did you mean 'drop'?
    """

    duplicates: str
    singletons: str
    missing_documents: str
    documents: str | None
    join_documents: str | None
    blanc_edges: str
    match: str
    zeros: str
    split_antecedents: str
    layer: str
    typed: str | None
    like: str | None
    align: str
    document_names: str
    rounding: str

    def __init__(self, **chosen: Unpack[OptionKeywords]) -> None:
        for name in chosen:
            if name in BESIDE:
                raise TypeError(f"{name} cannot be given here; leave it out")
            if name not in TABLE:
                raise unknown_option(name, list(TABLE))
        vars(self).update(
            {
                name: option.checked(chosen.get(name, option.default))
                for name, option in TABLE.items()
            }
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"{name}: options cannot be changed; replace({name}={value!r}) gives others"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).items()))

    def __repr__(self) -> str:
        return f"Options({', '.join(f'{name}={value!r}' for name, value in self.chosen().items())})"

    def to_dict(self) -> dict[str, Value]:
        """Return every option by name."""
        return dict(vars(self))

    def chosen(self) -> dict[str, Value]:
        """Return the options that are not at their defaults, by name."""
        return {name: value for name, value in vars(self).items() if value != TABLE[name].default}

    def signed(self) -> dict[str, Value]:
        """Return what a signature says of the options, by the names of its fields."""
        chosen = self.chosen()
        return {
            option.field: vars(self)[name]
            for name, option in TABLE.items()
            if option.signed == "always" or (option.signed == "chosen" and name in chosen)
        }

    def replace(self, **chosen: Unpack[OptionKeywords]) -> Options:
        """Return the same options with other values for some."""
        return options_of(None, vars(self) | chosen)


def filters_in(chosen: Iterable[str]) -> list[str]:
    """Return which of these options leave out mentions."""
    return [name for name in chosen if TABLE[name].filters]


def not_in(chosen: Mapping[str, Value], *declared: Honoured) -> dict[str, Value]:
    """Return which of the options that are chosen no declaration lists."""
    missing = dict(chosen)
    for honoured in declared:
        for name, value in chosen.items():
            if value in honoured.get(name, ()):
                missing.pop(name, None)
    return missing


def not_in_memory(name: str) -> TypeError:
    """Make the error for an option about what clusters in memory do not have."""
    problem = "clusters in memory have no such information"
    return TypeError(f"{name}: {problem}; leave the option out, or score files")


def written(options: Mapping[str, Value]) -> list[str]:
    """Return options as messages name them: `name=value`."""
    return [f"{name}={value}" for name, value in options.items()]


def options_of(options: Options | None, words: Mapping[str, Any]) -> Options:
    """Return the options that a function was given: a record, or its values as keywords.

    Raises:
        TypeError: Both are given, or a keyword is no option.
        ValueError: A value is not one of an option's.
    """
    if options is None:
        for name in words:
            if name not in TABLE and name not in BESIDE:
                raise unknown_option(name, [*BESIDE, *TABLE])
        return Options(**words)
    if words:
        given = ", ".join(words)
        raise TypeError(
            f"options and {given} cannot be combined; write everything into one Options, or "
            "everything as keywords"
        )
    if not isinstance(options, Options):
        raise TypeError(
            f"options: {shown(options)} is not an Options object; write its values as keywords"
        )
    return options


COREFUD = "muc,bcub,ceafm,ceafe,blanc,lea,mor,zero,conll"
"""What CorefUD's scorer prints."""

_CRAC: dict[str, str] = {
    "metrics": COREFUD,
    "duplicates": "corefud",
    "singletons": "drop",
    "blanc_edges": "luo2014",
    "like": "corefud-1.2",
}

_ANAPHORA: dict[str, str] = {
    "metrics": "muc,bcub,ceafe,conll",
    "singletons": "keep",
    "blanc_edges": "luo2014",
    "zeros": "drop",
    "like": "ua-2025-01-30",
}

_RESOLUTION = {**_ANAPHORA, "split_antecedents": "score"}
_BRIDGING = {**_ANAPHORA, "metrics": "bridging_anaphor,bridging_mention,bridging_entity"}
_DEIXIS = {**_ANAPHORA, "split_antecedents": "score", "layer": "deixis"}

PRESETS: dict[str, dict[str, str]] = {
    "conll12": {
        "metrics": "mentions,muc,bcub,ceafm,ceafe,blanc,conll",
        "singletons": "keep",
        "blanc_edges": "recasens2011",
        "match": "exact",
        "zeros": "linear",
    },
    "conll-v4": {
        "metrics": "muc,bcub_conll_v4,ceafm_conll_v4,ceafe_conll_v4,conll_v4",
        "singletons": "keep",
    },
    "crac22": {**_CRAC, "match": "partial", "zeros": "linear"},
    "crac23": {**_CRAC, "match": "head", "zeros": "linear"},
    "crac24": {**_CRAC, "match": "head", "zeros": "dependent"},
    "crac25": {**_CRAC, "match": "head", "zeros": "dependent"},
    "crac26": {**_CRAC, "match": "head", "zeros": "dependent"},
    "crac18": {**_ANAPHORA, "metrics": "muc,bcub,ceafe,conll,non_referring"},
    "craft19": {**_ANAPHORA, "match": "craft"},
    "codicrac21ar": _RESOLUTION,
    "codicrac21br": _BRIDGING,
    "codicrac21dd": _DEIXIS,
    "codicrac22ar": _RESOLUTION,
    "codicrac22br": _BRIDGING,
    "codicrac22dd": _DEIXIS,
}
"""CoNLL-2012 (Pradhan et al. 2012) with reference 8.01, and as the figures that CoNLL-2011 and
CoNLL-2012 published were made (`conll-v4`); CRAC 2022 (Žabokrtský et al. 2022) to CRAC 2025 (Novák
et al. 2025) with CorefUD's scorer, which has not changed for CRAC 2026; CRAC 2018, CRAFT 2019 and
the tracks of CODI-CRAC 2021 and 2022 (anaphora resolution, bridging, discourse deixis) as the
Universal Anaphora scorer documents them (Yu et al. 2022)."""


def settings(name: str, **others: object) -> dict[str, Any]:
    """Return the settings of a preset, whatever the case of its name, replaced by `others`.

    Others that are None replace nothing.

    Raises:
        ValueError: There is no such preset.
        TypeError: The name is no text.

    Examples:
        >>> settings("crac25", singletons="keep")["singletons"]
        'keep'
    """
    if not isinstance(name, str):
        raise TypeError(
            f"preset must be the name of a preset, such as 'conll12', not {shown(name)}"
        )
    name = name.lower()
    check_choice("preset", name, PRESETS)
    return {**PRESETS[name]} | {
        option: value for option, value in others.items() if value is not None
    }


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern compiled; ValueError when it is not a regular expression."""
    import re

    if not isinstance(pattern, str):
        raise ValueError(f"{shown(pattern)} is not a regular expression: it is not text")

    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        problem = f"{shown(pattern)} is not a regular expression"
        raise ValueError(f"{problem}: {error}") from None
