"""discord.py 2.7.1, LAN105 at discord/app_commands/commands.py:1742: a command that joins breaks the upload of all.

1. The bot uploads its commands; the translator works on the first command of a group.
2. An extension adds a command to the group. 3. The translator answers.
One after the other, everything is uploaded; here the upload ends with a RuntimeError about the size of a dict.
The fake is the HTTP client's call that uploads.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from driving import Hazard, running

HAZARD = Hazard(
    package="discord.py==2.7.1",
    finding="LAN105 discord/app_commands/commands.py:1742",
    right="uploaded first, second",
    wrong="RuntimeError: dictionary changed size during iteration",
)


class Uploads:
    """Takes the place of the request to Discord."""

    def __init__(self) -> None:
        self.names: list[str] = []

    async def bulk_upsert_global_commands(self, application: int, payload: Any) -> list[object]:
        self.names = [option["name"] for command in payload for option in command["options"]]
        return []


def command(name: str) -> Any:
    from discord import Interaction, app_commands

    async def answer(interaction: Interaction) -> None:
        """Never called."""

    return app_commands.Command(name=name, description="a command", callback=answer)


async def tree_with_a_group(uploads: Uploads, may_translate: asyncio.Event) -> tuple[Any, Any]:
    """A bot's commands: one group with one command, whose name is translated when the script says so."""
    from discord import Client, Intents, app_commands

    class Translator(app_commands.Translator):
        async def translate(self, string: app_commands.locale_str, *_: object) -> None:
            if string.message == "first":
                await may_translate.wait()

    client = Client(intents=Intents.none(), application_id=1)
    client.http.bulk_upsert_global_commands = uploads.bulk_upsert_global_commands
    tree = app_commands.CommandTree(client)
    group = app_commands.Group(name="group", description="a group")
    group.add_command(command("first"))
    tree.add_command(group)
    await tree.set_translator(Translator())
    return tree, group


async def one_after_the_other() -> str:
    uploads, may_translate = Uploads(), asyncio.Event()
    may_translate.set()
    tree, group = await tree_with_a_group(uploads, may_translate)
    group.add_command(command("second"))
    await tree.sync()
    return f"uploaded {', '.join(uploads.names)}"


async def overlapping() -> str:
    uploads, may_translate = Uploads(), asyncio.Event()
    tree, group = await tree_with_a_group(uploads, may_translate)
    async with running(tree.sync()) as syncing:
        group.add_command(command("second"))
        may_translate.set()
        try:
            await syncing
        except RuntimeError as error:
            return f"RuntimeError: {error}"
    return f"uploaded {', '.join(uploads.names)}"


if __name__ == "__main__":
    sys.exit(HAZARD.drive(one_after_the_other, overlapping))
