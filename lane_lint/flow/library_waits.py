"""What the standard library and well-known ones wait for: calls that block, and awaitables that really wait."""

from __future__ import annotations

from collections.abc import Mapping

from lane_lint.flow.waiting_types import WAITING_FUNCTIONS, WAITING_METHODS

HTTP_VERBS = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "options", "request", "send", "stream"}
)

# An iterator over results makes nobody wait by being made.
_LAZY = frozenset({"concurrent.futures.as_completed"})
BLOCKING_FUNCTIONS = frozenset(
    {
        *(WAITING_FUNCTIONS.keys() - _LAZY),
        "input",
        "signal.pause",
        "socket.create_connection",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "urllib.request.urlopen",
        "urllib.request.urlretrieve",
        "urllib3.request",
        "asyncio.run",
        "anyio.run",
        "trio.run",
        "gevent.sleep",
        "eventlet.sleep",
        "sqlite3.connect",
        "psycopg.connect",
        "psycopg2.connect",
        "pymysql.connect",
        *(f"{library}.{verb}" for library in ("requests", "httpx") for verb in HTTP_VERBS),
    }
)

# `*` stands for every method.
_SOCKET = frozenset(
    {"recv", "recv_into", "recvfrom", "send", "sendall", "sendto", "sendfile", "accept", "connect"}
)
_DATABASE = frozenset(
    {"execute", "executemany", "executescript", "commit", "rollback", "fetchall", "fetchone"}
)
_POOL = frozenset({"map", "starmap", "apply", "join"})
_ALL = frozenset({"*"})
BLOCKING_METHODS: Mapping[str, frozenset[str]] = {
    # A queue may be bounded where this module does not show how it is made; those rows come last.
    **{name.removesuffix("(bounded)"): frozenset(methods) for name, methods in WAITING_METHODS.items()},
    "multiprocessing.Pool": _POOL,
    "concurrent.futures.ThreadPoolExecutor": frozenset({"shutdown", "map"}),
    "concurrent.futures.ProcessPoolExecutor": frozenset({"shutdown", "map"}),
    "socket.socket": _SOCKET,
    "socket.create_connection": _SOCKET,
    "ssl.SSLSocket": _SOCKET,
    "requests.Session": HTTP_VERBS,
    "requests.session": HTTP_VERBS,
    "httpx.Client": HTTP_VERBS,
    "urllib3.PoolManager": frozenset({"request", "urlopen"}),
    "http.client.HTTPConnection": frozenset({"connect", "request", "getresponse"}),
    "http.client.HTTPSConnection": frozenset({"connect", "request", "getresponse"}),
    "smtplib.SMTP": frozenset({"connect", "login", "sendmail", "send_message", "quit"}),
    "smtplib.SMTP_SSL": frozenset({"connect", "login", "sendmail", "send_message", "quit"}),
    "ftplib.FTP": _ALL,
    "redis.Redis": _ALL,
    "redis.StrictRedis": _ALL,
    "redis.from_url": _ALL,
    "redis.Redis.from_url": _ALL,
    "pymongo.MongoClient": _ALL,
    "sqlite3.Connection": _DATABASE,
    "sqlite3.connect": _DATABASE,
    "psycopg.connect": _DATABASE,
    "psycopg2.connect": _DATABASE,
    "pymysql.connect": _DATABASE,
    "asyncio.get_event_loop": frozenset({"run_until_complete", "run_forever"}),
    "asyncio.new_event_loop": frozenset({"run_until_complete", "run_forever"}),
    "select.poll": frozenset({"poll"}),
    "select.epoll": frozenset({"poll"}),
    "selectors.DefaultSelector": frozenset({"select"}),
}
# Where the very same type is known under further names.
_OTHER_NAMES = {
    "concurrent.futures._base.Future": "concurrent.futures.Future",
    "concurrent.futures.thread.ThreadPoolExecutor": "concurrent.futures.ThreadPoolExecutor",
    "concurrent.futures.Executor": "concurrent.futures.ThreadPoolExecutor",
    "multiprocessing.pool.Pool": "multiprocessing.Pool",
    "redis.client.Redis": "redis.Redis",
}

# Types of futures that run their callbacks in the middle of the call that completes or cancels them.
INLINE_FUTURES = frozenset({"concurrent.futures.Future", "asyncio.run_coroutine_threadsafe"})
EXECUTORS = frozenset({"concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor"})
WORKERS = frozenset({"threading.Thread", "threading.Timer", "multiprocessing.Process"})

# Calls that give an awaitable whose waiting is nobody's but the event loop's.
AWAITABLES = frozenset(
    {
        "asyncio.sleep",
        "asyncio.wait",
        "asyncio.wait_for",
        "asyncio.gather",
        "asyncio.shield",
        "asyncio.to_thread",
        "asyncio.open_connection",
        "asyncio.open_unix_connection",
        "asyncio.create_subprocess_exec",
        "asyncio.create_subprocess_shell",
        "asyncio.start_server",
        "asyncio.wrap_future",
        "anyio.sleep",
        "anyio.sleep_until",
        "anyio.sleep_forever",
        "anyio.to_thread.run_sync",
        "anyio.run_process",
        "anyio.open_process",
        "anyio.connect_tcp",
        "trio.sleep",
        "trio.sleep_until",
        "trio.sleep_forever",
        "trio.to_thread.run_sync",
        "trio.run_process",
        "trio.open_tcp_stream",
    }
)
# They let other tasks run once and wait for nothing; a sleep of no length is marked `(0)`.
CHECKPOINTS = frozenset(
    {
        "asyncio.sleep(0)",
        "anyio.sleep(0)",
        "trio.sleep(0)",
        "anyio.lowlevel.checkpoint",
        "anyio.lowlevel.cancel_shielded_checkpoint",
        "trio.lowlevel.checkpoint",
        "trio.lowlevel.cancel_shielded_checkpoint",
    }
)
SLEEPS = frozenset({"time.sleep", "asyncio.sleep", "anyio.sleep", "trio.sleep", "gevent.sleep"})


def canonical(name: str) -> str:
    """The name that the tables know a type by."""
    return _OTHER_NAMES.get(name, name)


def waits(name: str) -> bool:
    """Whether a library's function makes its caller wait, or gives an awaitable that does."""
    return name in AWAITABLES or name in BLOCKING_FUNCTIONS


def blocks(type_name: str, method: str) -> bool:
    """Whether a method of a type makes its thread wait."""
    methods = BLOCKING_METHODS.get(canonical(type_name), frozenset())
    return method in methods or (methods is _ALL and not method.startswith("_"))


def is_inline_future(type_name: str) -> bool:
    """Whether completing an object of the type runs its callbacks there and then."""
    return canonical(type_name) in INLINE_FUTURES
