"""Addresses and their handles: numbers from 0 on, in the order in which addresses are met."""

from __future__ import annotations

from counterpoint.crawler.documents.addresses import Spelling


class Handles:
    """Gives every page one handle, whichever way its address is spelled.

    Of addresses that are compared as one the first is kept.

    Parameters
    ----------
    spelling : Spelling
        Which are compared as one.
    """

    def __init__(self, spelling: Spelling = Spelling.SAFE) -> None:
        self._key = spelling.key
        self._addresses: list[str] = []
        self._handles: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def __contains__(self, address: str) -> bool:
        return self._key(address) in self._handles

    def handle(self, address: str) -> int:
        """Return the handle of an address, a new one if it was never met."""
        handle = self._handles.setdefault(self._key(address), len(self._addresses))
        if handle == len(self._addresses):
            self._addresses.append(address)
        return handle

    def address(self, handle: int) -> str:
        """Return the address that got a handle."""
        if not 0 <= handle < len(self._addresses):
            raise KeyError(handle)
        return self._addresses[handle]
