"""List the metrics, with the paper of each; with --bibtex, print how to cite these papers."""

from argparse import Namespace
from collections.abc import Sequence

from scorer import registry
from scorer.cli.console import print_error, write_output
from scorer.count.counts import Metric
from scorer.report.columns import Column, Table

EPILOG = """\
Case does not matter. Other packages add metrics by an entry point, group conll_scorer.metrics.

examples:
  scorer metrics
  scorer metrics --bibtex --metrics muc,bcub,ceafe,conll
"""


def _aliases(metric: Metric | registry.Average) -> str:
    return ", ".join(alias for alias, meant in registry.ALIASES.items() if meant == metric.name)


COLUMNS = (
    Column("name", heading="metric"),
    Column("title", heading="title"),
    Column("unit", heading="counts"),
    Column("paper", heading="paper"),
    Column(value=_aliases, heading="also called"),
)


def run(arguments: Namespace) -> None:
    """List all metrics or the chosen ones."""
    metrics = registry.resolve(arguments.metrics) if arguments.metrics else registry.names()
    if arguments.bibtex:
        print_entries(metrics)
    else:
        rows = [registry.AVERAGES.get(name) or registry.get(name) for name in metrics]
        write_output(Table(COLUMNS, rows).drawn("simple") + "\n", None)


def print_entries(metrics: Sequence[str]) -> None:
    """Print the BibTeX entries of the papers of metrics, also of those behind an average."""
    papers: dict[str, None] = {}
    for name in metrics:
        if name in registry.AVERAGES:
            papers[registry.AVERAGES[name].paper] = None
        for counted in registry.needed([name]):
            papers[registry.get(counted).paper] = None
    for paper in sorted(papers):
        if paper in ENTRIES:
            write_output(f"{ENTRIES[paper]}\n\n", None)
        else:
            print_error(f"note: there is no BibTeX entry of {paper}, the paper of another package")


ENTRIES = {
    "Bagga and Baldwin 1998": """\
% not compared with a publisher's page
@inproceedings{bagga-baldwin-1998-algorithms,
  title = {Algorithms for Scoring Coreference Chains},
  author = {Bagga, Amit and Baldwin, Breck},
  booktitle = {The First International Conference on Language Resources and Evaluation Workshop on
    Linguistics Coreference},
  year = {1998},
  pages = {563--566}
}""",
    "Cai and Strube 2010": """\
@inproceedings{cai-strube-2010-evaluation,
  title = {Evaluation Metrics For End-to-End Coreference Resolution Systems},
  author = {Cai, Jie and Strube, Michael},
  booktitle = {Proceedings of the SIGDIAL 2010 Conference},
  year = {2010},
  url = {https://aclanthology.org/W10-4305}
}""",
    "Luo 2005": """\
@inproceedings{luo-2005-coreference,
  title = {On Coreference Resolution Performance Metrics},
  author = {Luo, Xiaoqiang},
  booktitle = {Proceedings of Human Language Technology Conference and Conference on Empirical
    Methods in Natural Language Processing (HLT/EMNLP)},
  year = {2005},
  address = {Vancouver},
  pages = {25--32},
  url = {https://aclanthology.org/H05-1004}
}""",
    "Luo et al. 2014": """\
@inproceedings{luo-etal-2014-extension,
  title = {An Extension of {BLANC} to System Mentions},
  author = {Luo, Xiaoqiang and Pradhan, Sameer and Recasens, Marta and Hovy, Eduard},
  booktitle = {Proceedings of the 52nd Annual Meeting of the Association for Computational
    Linguistics (Volume 2: Short Papers)},
  year = {2014},
  pages = {24--29},
  doi = {10.3115/v1/P14-2005},
  url = {https://aclanthology.org/P14-2005}
}""",
    "Moosavi and Strube 2016": """\
@inproceedings{moosavi-strube-2016-coreference,
  title = {Which Coreference Evaluation Metric Do You Trust? {A} Proposal for a Link-based Entity
    Aware Metric},
  author = {Moosavi, Nafise Sadat and Strube, Michael},
  booktitle = {Proceedings of the 54th Annual Meeting of the Association for Computational
    Linguistics (Volume 1: Long Papers)},
  year = {2016},
  address = {Berlin, Germany},
  pages = {632--642},
  doi = {10.18653/v1/P16-1060},
  url = {https://aclanthology.org/P16-1060}
}""",
    "Pradhan et al. 2012": """\
@inproceedings{pradhan-etal-2012-conll,
  title = {{CoNLL-2012} Shared Task: Modeling Multilingual Unrestricted Coreference in {OntoNotes}},
  author = {Pradhan, Sameer and Moschitti, Alessandro and Xue, Nianwen and Uryupina, Olga and
    Zhang, Yuchen},
  booktitle = {Joint Conference on {EMNLP} and {CoNLL} - Shared Task},
  year = {2012},
  address = {Jeju Island, Korea},
  pages = {1--40},
  url = {https://aclanthology.org/W12-4501}
}""",
    "Pradhan et al. 2014": """\
@inproceedings{pradhan-etal-2014-scoring,
  title = {Scoring Coreference Partitions of Predicted Mentions: A Reference Implementation},
  author = {Pradhan, Sameer and Luo, Xiaoqiang and Recasens, Marta and Hovy, Eduard and
    Ng, Vincent and Strube, Michael},
  booktitle = {Proceedings of the 52nd Annual Meeting of the Association for Computational
    Linguistics (Volume 2: Short Papers)},
  year = {2014},
  pages = {30--35},
  doi = {10.3115/v1/P14-2006},
  url = {https://aclanthology.org/P14-2006}
}""",
    "Rahman and Ng 2009": """\
% authors, title and year alone; take the rest from the publisher's page
@misc{rahman-ng-2009-supervised,
  title = {Supervised Models for Coreference Resolution},
  author = {Rahman, Altaf and Ng, Vincent},
  year = {2009}
}""",
    "Stoyanov et al. 2009": """\
% first author, title and year alone; take the rest from the publisher's page
@misc{stoyanov-etal-2009-conundrums,
  title = {Conundrums in Noun Phrase Coreference Resolution: Making Sense of the State-of-the-Art},
  author = {Stoyanov and others},
  year = {2009}
}""",
    "Vilain et al. 1995": """\
@inproceedings{vilain-etal-1995-model,
  title = {A Model-Theoretic Coreference Scoring Scheme},
  author = {Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and
    Hirschman, Lynette},
  booktitle = {Sixth Message Understanding Conference ({MUC}-6): Proceedings of a Conference Held in
    {C}olumbia, {M}aryland, November 6-8, 1995},
  year = {1995},
  pages = {45--52},
  doi = {10.3115/1072399.1072405},
  url = {https://aclanthology.org/M95-1005}
}""",
    "Yu et al. 2022": """\
@inproceedings{yu-etal-2022-universal,
  title = {The Universal Anaphora Scorer},
  author = {Yu, Juntao and Khosla, Sopan and Moosavi, Nafise Sadat and Paun, Silviu and
    Pradhan, Sameer and Poesio, Massimo},
  booktitle = {Proceedings of the 13th Language Resources and Evaluation Conference (LREC)},
  year = {2022},
  url = {https://aclanthology.org/2022.lrec-1.521}
}""",
    "Žabokrtský et al. 2022": """\
@inproceedings{zabokrtsky-etal-2022-findings,
  title = {Findings of the Shared Task on Multilingual Coreference Resolution},
  author = {{\\v{Z}}abokrtsk{\\'y}, Zden{\\v{e}}k and Konop{\\'i}k, Miloslav and
    Nedoluzhko, Anna and Nov{\\'a}k, Michal and Ogrodniczuk, Maciej and Popel, Martin and
    Pra{\\v{z}}{\\'a}k, Ond{\\v{r}}ej and Sido, Jakub and Zeman, Daniel and Zhu, Yilun},
  booktitle = {Proceedings of the {CRAC} 2022 Shared Task on Multilingual Coreference Resolution},
  year = {2022},
  address = {Gyeongju, Republic of Korea},
  pages = {1--17},
  url = {https://aclanthology.org/2022.crac-mcr.1}
}""",
}
"""BibTeX entries by what `scorer metrics` shows of a paper.

They were compared with the publisher's page, with the first page of the paper, or with other public
bibliographies. What could not be looked up is left out of an entry, and a comment above it says so.
"""
