"""The mutants of a module: its source with one small change, each such as somebody might make by mistake. For `make mutants`.

Left alone is what says nothing at run time: docstrings, annotations, imports, `if TYPE_CHECKING`, `__slots__` and `__all__`.
"""

import ast
import importlib.machinery
import importlib.util
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

COMPARED = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
}
COUNTED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
TWINS = [("min", "max"), ("any", "all"), ("startswith", "endswith"), ("lstrip", "rstrip"), ("find", "rfind")]
TWINS += [("partition", "rpartition"), ("bisect_left", "bisect_right")]
OTHER = dict([*TWINS, *((right, left) for left, right in TWINS)])
"""Functions and methods that take each other's place."""
SILENT = {"__slots__", "__all__", "TYPE_CHECKING"}
UNSEEN = {"annotation", "returns", "decorator_list", "format_spec", "type_comment", "kind"}


@dataclass
class Mutant:
    """One change. `first` and `last` are the lines of the statement that it changes, of a compound one those of its head.

    `function`, `source` (the line, without indentation) and `change` tell it from all others of its module, wherever that moves.
    """

    line: int
    first: int
    last: int
    function: str
    source: str
    change: str
    node: ast.AST
    field: str
    index: int | None
    new: ast.AST

    @property
    def name(self):
        """What tells it from all others of its module."""
        return self.function, self.source, self.change

    def apply(self):
        """Change the tree that it was made of, once and for all."""
        if self.index is None:
            setattr(self.node, self.field, self.new)
        else:
            getattr(self.node, self.field)[self.index] = self.new


def mutants(source):
    """The syntax tree of the source, and its mutants, in the order of the source."""
    tree = ast.parse(source)
    found = [*_within(tree, source.splitlines(), "", (1, 1))]
    found.sort(key=lambda mutant: mutant.line)
    times = Counter()
    for mutant in found:
        times[mutant.name] += 1
        if times[mutant.name] > 1:
            mutant.change += f" #{times[mutant.name]}"
    return tree, found


def _within(node, lines, function, extent):
    """The mutants of all that a node holds."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        function = f"{function}.{node.name}".lstrip(".")
    for field, value in ast.iter_fields(node):
        if field in UNSEEN:
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_silent(child):
                continue
            if isinstance(child, ast.stmt):
                body = getattr(child, "body", None)
                extent = child.lineno, max(child.lineno, body[0].lineno - 1) if body else child.end_lineno
            for change, new in _changes(child, node, field):
                line = getattr(child, "lineno", node.lineno if hasattr(node, "lineno") else extent[0])
                ast.fix_missing_locations(ast.copy_location(new, child if hasattr(child, "lineno") else node))
                yield Mutant(line, *extent, function, lines[line - 1].strip(), change, node, field, index, new)
            yield from _within(child, lines, function, extent)


def _is_silent(node):
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in SILENT


def _changes(node, parent, field):
    """What may take the place of a node, each with its description."""
    for new in _others(node, parent, field):
        yield f"{ast.unparse(node)} → {ast.unparse(new)}", new


def _others(node, parent, field):
    if isinstance(node, ast.stmt):
        yield from _statements(node)
        return
    if isinstance(node, ast.expr):
        yield from _expressions(node, field)
        asked = field == "test" or (field == "ifs" and isinstance(parent, ast.comprehension))
        if asked and not isinstance(node, (ast.Compare, ast.UnaryOp, ast.Constant)):
            yield ast.UnaryOp(ast.Not(), node)


def _expressions(node, field):
    match node:
        case ast.Compare(left, ops, comparators):
            for at, op in enumerate(ops):
                for other in COMPARED[type(op)]:
                    yield ast.Compare(left, [*ops[:at], other(), *ops[at + 1 :]], comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.BinOp(left, op, right) if type(op) in COUNTED:
            yield ast.BinOp(left, COUNTED[type(op)](), right)
        case ast.Constant(value):
            yield from map(ast.Constant, _constants(value))
        case ast.Call():
            yield from _calls(node)
        case ast.Name(id, context) if id in OTHER and field == "func":
            yield ast.Name(OTHER[id], context)
        case ast.Attribute(value, attr, context) if attr in OTHER and field == "func":
            yield ast.Attribute(value, OTHER[attr], context)


def _statements(node):
    match node:
        case ast.Return(value) if value is not None and ast.unparse(value) != "None":
            yield ast.Return(None)
        case ast.Break():
            yield ast.Continue()
        case ast.AugAssign(target, op, value):
            yield ast.Pass()
            if type(op) in COUNTED:
                yield ast.AugAssign(target, COUNTED[type(op)](), value)
        case ast.Expr(ast.Yield() | ast.YieldFrom()):
            pass
        case ast.Expr() | ast.Raise() | ast.Delete() | ast.Continue():
            yield ast.Pass()
        case ast.Assign(targets, _) if not isinstance(targets[0], (ast.Name, ast.Tuple)):
            yield ast.Pass()


def _constants(value):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1]
    if isinstance(value, str):
        return [value + "?"] if value != "utf-8" else []  # Python takes one for the other
    return [value + b"?"] if isinstance(value, bytes) else []


def _calls(call):
    """Two arguments that stand side by side exchanged, or a named one left out."""
    symmetric = ast.unparse(call.func) in {"min", "max"}
    for at, (one, other) in enumerate(() if symmetric else pairwise(call.args)):
        if not isinstance(other, ast.Starred) and not isinstance(one, ast.Starred) and ast.dump(one) != ast.dump(other):
            yield ast.Call(call.func, [*call.args[:at], other, one, *call.args[at + 2 :]], call.keywords)
    for at, keyword in enumerate(call.keywords):
        if keyword.arg is not None:
            yield ast.Call(call.func, call.args, call.keywords[:at] + call.keywords[at + 1 :])


class Changed(importlib.machinery.SourceFileLoader):
    """Finds and loads one module, a path below that folder, as its tree says."""

    def __init__(self, folder, module, tree):
        parts = Path(module).with_suffix("").parts
        super().__init__(".".join(parts[:-1] if parts[-1] == "__init__" else parts), str(folder / module))
        self.tree = tree

    def find_spec(self, name, *_):
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, _):
        return compile(self.tree, self.path, "exec")
