"""One small file with one defect, for tests that only need some finding."""

from __future__ import annotations

CHECK_AWAIT_ACT = """\
class Pool:
    def __init__(self):
        self._connection = None

    async def connection(self):
        if self._connection is None:
            self._connection = await connect()
        return self._connection

    async def reset(self):
        self._connection = None
"""
CHECK_AWAIT_ACT_LINE = 7
