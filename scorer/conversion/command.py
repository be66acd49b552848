"""Write the documents of a file in another format.

The file is replaced once all is written. Words are carried over where the input has them. What the
other format cannot hold is named on stderr; where that is a mention or a word, nothing is written
unless --drop is given.
"""

from argparse import Namespace

from conll import formats
from scorer.cli.console import (
    check_output_path,
    check_standard_input,
    print_error,
    print_warnings,
)
from scorer.conversion.convert import (
    convert_documents,
    source_to_convert,
    target_format,
)
from scorer.perl import standard_output

EPILOG = """\
examples:
  scorer convert key.conll key.jsonl --to jsonl
  scorer convert response.jsonl.gz response.conll
  scorer convert key.conll - --to jsonl
  scorer convert key.conllu key.conll --drop
  scorer convert output.txt response.conll --key key.conll

Without --to the name of OUT chooses the format: .jsonl or .json, .conllu (corefud), or an ending
in conll, such as .v4_auto_conll, or none (conll2012).
"""


def run(arguments: Namespace) -> None:
    """Read, write, and warn of what is left out or irregular about the input."""
    if arguments.document_names is not None and arguments.key is None:
        raise ValueError("--document-names needs --key; add it, or leave --document-names out")
    inputs = [path for path in (arguments.input, arguments.key) if path is not None]
    check_standard_input(inputs)
    # No ending of a path names a format of folders.
    is_folder = arguments.to is not None and formats.get(arguments.to).write_folder is not None
    check_output_path(arguments.output, inputs, is_folder=is_folder)
    target = target_format(arguments.output, arguments.to, "use --to")
    source = source_to_convert(
        arguments.input,
        getattr(arguments, "from"),
        arguments.key,
        arguments.side,
        exact=arguments.document_names == "exact",
    )
    file = standard_output() if arguments.output == "-" else arguments.output
    is_sided = arguments.side is not None
    conversion = convert_documents(source, file, target, drop=arguments.drop, sided=is_sided)
    if not arguments.quiet:
        for sentence in conversion.left_out:
            print_error(f"warning: {sentence}")
        print_warnings(conversion.problems, every=arguments.all_warnings)
