"""A result in an output format, as all formats write it.

A result lists its sections: tables, each with the name of a section of its data, or for readers
alone. All formats follow from these, from its notes and its signature: csv, tsv and JSON Lines have
the records of all sections, each with the name of its section first; JSON has them by section;
readers see the sections that are shown.

    COLUMNS = [
        Column(name="metric", kind="metric", heading="metric"),
        Column(name="recall", kind="ratio", heading="recall", spare=2),
        Column(name="precision", kind="ratio", heading="precision", spare=1),
        Column(name="f1", kind="ratio", heading="F1"),
        Column(name="f1", kind="interval", heading="95% interval"),
        Column(name="found", kind="share", heading="found"),
    ]


    class Scores(Result):
        title = "Scores"
        layout_type = ScoresLayout

        def tables_of(self, layout):
            return [Table(COLUMNS, self.rows, section="scores", rounding=self.options.rounding)]

The class has `signature`, too. What only one format has is put into the report by a function of
`finishes`: `page` for HTML, `latex` for the table of papers, and `text` for a format that only this
result has. The functions of `scorer.report.forms` write a report.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.errors import check_choice, did_you_mean
from scorer.options import PRESETS, TABLE, WORDS
from scorer.registry import ALL_METRICS
from scorer.report.columns import Column, Record, Table, printable
from scorer.report.forms import COMPUTED, OUTPUT_FORMATS

if TYPE_CHECKING:
    import pandas as pd

NOTE = "note: "
"""The beginning of some lines, which data have without it."""


class Report(NamedTuple):
    """A result in an output format.

    Attributes:
        output_format: The name of the format, which the signature names.
        title: The title of a page.
        heading: The title that the user gave, which all formats show; "" if none.
        headline: The result in a sentence, for readers; "" if there is none.
        sections: The sections, those for data alone and those for readers alone among them.
        notes: The lines below the tables, in their order, without the signature.
        signature: The fields of the signature.
        latex: The table that papers print, in LaTeX; the other tables follow.
        nested: The object that JSON holds, if it is not the records by section.
        page: The content of an HTML page, a `Page`; tables and notes if None.
        framed: The table that Parquet holds, if it is not all records.
        text: The text of a format that only this result has.
        is_short: Whether readers see the short signature, and not the whole one.
        width: The columns of the terminal that the tables have to fit in; None for any width.
    """

    output_format: str
    title: str
    heading: str = ""
    headline: str = ""
    sections: Sequence[Table] = ()
    notes: Sequence[str] = ()
    signature: Mapping[str, Any] = {}
    latex: str = ""
    nested: Mapping[str, Any] | None = None
    page: Any = None
    framed: Table | None = None
    text: str = ""
    is_short: bool = True
    width: int | None = None

    def in_paper(self, latex: str, *replaced: str) -> "Report":
        """Return the report with a table as papers print it, instead of some sections."""
        kept = [table for table in self.sections if table.section not in replaced]
        return self._replace(latex=latex, sections=kept)

    def chosen(self, names: Sequence[str]) -> "Report":
        """Return the report with some sections alone, without notes and signature.

        Raises:
            ValueError: There is no such section, or the format is not one to compute with.
        """
        if self.output_format not in COMPUTED:
            raise ValueError(f"section: only the formats {', '.join(COMPUTED)} have sections")
        known = {table.section: table for table in self.data}
        for name in names:
            check_choice("section", name, known)
        sections = [known[name]._replace(is_extra=False) for name in names]
        return self._replace(sections=sections, heading="", notes=(), signature={}, nested=None)

    @property
    def plain_notes(self) -> list[str]:
        """The notes as data have them."""
        return [note.removeprefix(NOTE) for note in self.notes]

    @property
    def data(self) -> list[Table]:
        """The sections of records to compute with: ratios are fractions with all digits."""
        return [table for table in self.sections if table.section]

    @property
    def tables(self) -> list[Table]:
        """The tables for readers."""
        return [table for table in self.sections if table.seen]

    @property
    def fields(self) -> list[str]:
        """The fields of all records together: of the sections that have rows, if any has."""
        names: dict[str, None] = {"section": None}
        for table in [table for table in self.data if table.rows] or self.data:
            names |= dict.fromkeys(table.names)
        if self.heading or self.notes or self.signature:
            names["note"] = None
        return list(names)

    def records(self) -> Iterator[Record]:
        """Yield all records but the signature; each has the fields of its section."""
        if self.heading:
            yield {"section": "title", "note": self.heading}
        for table in self.data:
            for record in table.records():
                yield {"section": table.section, **record}
        for note in self.plain_notes:
            yield {"section": "note", "note": note}

    def signed_records(self) -> Iterator[Record]:
        """Yield all records, and the signature as a note."""
        yield from self.records()
        if self.signature:
            yield {"section": "signature", "note": format_signature(self.signature)}

    @property
    def tree(self) -> dict[str, Any]:
        """The object that JSON holds."""
        if self.nested is not None:
            return dict(self.nested)
        tree: dict[str, Any] = {}
        for table in self.data:
            tree.setdefault(table.section, []).extend(table.records())
        if self.signature:
            tree |= {"notes": self.plain_notes, "signature": dict(self.signature)}
        return tree

    @property
    def frame(self) -> "pd.DataFrame":
        """The data frame that Parquet holds: that of one table, or of all records."""
        if self.framed is not None:
            return self.framed.to_frame()
        columns = [Column(name=name) for name in self.fields]
        return Table(columns, list(self.signed_records())).to_frame().convert_dtypes()

    @property
    def remarks(self) -> list[str]:
        """The notes as they can be printed."""
        return [printable(note) for note in self.notes]

    @property
    def signature_line(self) -> str:
        """The line with the signature; empty where there is none."""
        if not self.signature:
            return ""
        return printable(f"signature: {format_signature(self.signature, short=self.is_short)}")

    @property
    def lines_below(self) -> list[str]:
        """The lines below the tables: the notes, then the signature."""
        signature = self.signature_line
        return [*self.remarks, signature] if signature else self.remarks


SHOWN_RATIOS = {"all": ("recall", "precision", "f1"), "f1": ("f1",)}
"""The choices of ratios to show."""

USUAL_AVERAGE = "micro"
"""The average that a report of scores has unless another is chosen."""


class Layout:
    """A layout without choices; a result that offers some has a subclass."""

    def signed(self, output_format: str) -> dict[str, Any]:
        """Return what a signature says of the report.

        Raises:
            ValueError: The output format cannot show it.
        """
        return {"format": output_format}


def layout_from(layout_type: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """Make a layout of options.

    Raises:
        TypeError: The layout has no such option, or its value is of a wrong type.
    """
    # Its import takes long, and only callers of the library give options.
    from scorer.signatures import check_type

    # A layout without choices has no __init__ of its own.
    kinds = getattr(layout_type.__init__, "__annotations__", {})
    known = {name: kind for name, kind in kinds.items() if name != "return"}
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known)
            listed = f"its options are: {', '.join(known)}" if known else "it has no options"
            raise TypeError(f"the report has no option {name!r}{hint}; {listed}")
        check_type(name, options[name], known[name])
    return layout_type(**options)


def check_ratios(ratios: str, output_format: str) -> None:
    """Raise ValueError for ratios that are no choice, or in a format that does not choose them.

    Args:
        ratios: The ratios to show.
        output_format: The output format.
    """
    check_choice("ratios", ratios, SHOWN_RATIOS)
    if ratios != "all" and not OUTPUT_FORMATS[output_format].chooses_ratios:
        raise ValueError(f"ratios: {ratios!r} is for the format latex; leave it out")


LONGEST = 120
"""The most characters of a short signature."""

IDENTIFYING = ("preset", "key", "response")
"""Fields that a short signature shows as they are as long as it can."""


def format_signature(fields: Mapping[str, Any], *, short: bool = False) -> str:
    """Write the fields of a signature on one line: `name=value`, with semicolons between.

    Args:
        fields: The signature of a result.
        short: Leave out what is as the preset has it, or else at its default, the number of
            documents, and all but eight digits of each hash. Hashes replace long values in a line
            of more than `LONGEST` characters.
    """
    shown = _differing(fields) if short else fields
    # The whole signature is the same for options that are written out.
    left_out = {"scorer"} if short else {"scorer", "preset"}
    values = {
        name: _value(name, value, short=short)
        for name, value in shown.items()
        if name not in left_out and value is not None
    }
    line = _joined(fields["scorer"], values)
    if not short or len(line) <= LONGEST:
        return line
    settings = [name for name in values if name not in IDENTIFYING]
    for name in sorted(settings, key=lambda name: -len(values[name])):
        if len(line) > LONGEST:
            values[name] = _hash(_value(name, fields[name], short=False))
            line = _joined(fields["scorer"], values)
    if len(line) <= LONGEST:
        return line
    whole = format_signature(fields)
    identity = {name: values[name] for name in IDENTIFYING if name in values}
    line = _joined(fields["scorer"], {"settings": _hash(whole), **identity})
    if len(line) <= LONGEST:
        return line
    return _joined(fields["scorer"], {"signature": _hash(whole)})


def _differing(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are not as the preset has them, or else at their defaults."""
    usual: dict[str, Any] = {option.field: option.default for option in TABLE.values()}
    usual["metrics"] = list(ALL_METRICS)
    every = dict(fields)
    preset = fields.get("preset")
    if preset is not None:
        # What overrides the preset by a default is no field of the signature otherwise.
        every = {"scorer": fields["scorer"], "preset": preset}
        for name, value in PRESETS[preset].items():
            if name == "metrics":
                usual["metrics"] = value.split(",")
                continue
            option = TABLE[name]
            usual[option.field] = value
            every[option.field] = fields.get(option.field, option.default)
        every |= fields
    usual["documents"] = fields.get("documents")
    report = fields.get("report", {})
    if _is_usual_report(report):
        usual["report"] = report
    return {
        name: value for name, value in every.items() if name not in usual or usual[name] != value
    }


def _is_usual_report(report: Mapping[str, Any]) -> bool:
    """Return whether the field of a report says that it is laid out as usual."""
    usual = {"format": report.get("format"), "average": USUAL_AVERAGE}
    return all(usual.get(field) == item for field, item in report.items())


def _joined(program: str, values: Mapping[str, str]) -> str:
    return "; ".join([program, *(f"{name}={value}" for name, value in values.items())])


def _hash(text: str) -> str:
    """Return eight digits of the SHA-256 of a value; the whole signature has the value."""
    # Most signatures are short, and need none.
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _value(name: str, value: Any, *, short: bool) -> str:
    """Write a value; text of a user is quoted, so that it cannot pass for the next field."""
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, dict) and isinstance(value.get("sha256"), str):
        digest = value["sha256"][:8] if short else f"sha256:{value['sha256']}"
        joined = f":joined-by-{value['joined']}" if "joined" in value else ""
        return f"{value['format']}:{digest}{joined}"
    if isinstance(value, dict):
        items = {
            _value("", key, short=short): _value(key, item, short=short)
            for key, item in value.items()
        }
        return ",".join(f"{key}:{item}" for key, item in items.items())
    if short and name in ("signatures", "run"):
        # Hashes of a batch.
        value = value[:8]
    text = str(value)
    if isinstance(value, float) or text.replace("-", "").isalnum() or text in WORDS:
        return text
    from json import dumps

    return dumps(text)
