"""The README as the page of a package, where a relative link would lead nowhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class PackagePage(MetadataHookInterface):
    """Makes the links and pictures of the README absolute, once the address is known."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme."""
        text = Path(self.root, "README.md").read_text("utf-8")
        address = metadata.get("urls", {}).get("Repository")
        if address:
            text = re.sub(r"\]\((?!\w+:|#)", f"]({address}/raw/v{metadata['version']}/", text)
            text = re.sub(r"(?<!!)(\[[^]]*\]\(\S+?)/raw/", r"\1/blob/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
