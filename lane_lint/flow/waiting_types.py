"""What makes its caller wait, of the standard library: types with their methods, and functions."""

from __future__ import annotations

FOR_A_TURN = "for a turn of the lane"
FUTURE = "concurrent.futures.Future"
FUTURES = frozenset(
    {
        FUTURE,
        "concurrent.futures._base.Future",
        "multiprocessing.pool.AsyncResult",
        "asyncio.run_coroutine_threadsafe",
    }
)
EXECUTORS = frozenset(
    {
        "concurrent.futures.Executor",
        "concurrent.futures.ThreadPoolExecutor",
        "concurrent.futures.ProcessPoolExecutor",
        "concurrent.futures.InterpreterPoolExecutor",
        "concurrent.futures.thread.ThreadPoolExecutor",
        "concurrent.futures.process.ProcessPoolExecutor",
        "multiprocessing.Pool",
        "multiprocessing.pool.Pool",
        "multiprocessing.pool.ThreadPool",
    }
)
# Methods of executors and pools: those that give a future, those that give results while they are
# iterated, and those that wait at once.
SUBMITS = frozenset({"submit", "apply_async", "map_async", "starmap_async"})
LAZY = frozenset({"imap", "imap_unordered"})
WAITS_AT_ONCE = frozenset({"apply", "starmap"})

_QUEUE = {"get": "for an item of the queue", "join": "for the queue to be worked off"}
_BOUNDED = {**_QUEUE, "put": "for room in the queue"}
_THREAD = {"join": "for the thread to end"}
_PROCESS = {"join": "for the process to end"}
_EVENT = {"wait": "for the event"}
_CONDITION = {"wait": "for the condition", "wait_for": "for the condition"}
_CHILD = {"wait": "for the process to end", "communicate": "for the process to end"}
_BARRIER = {"wait": "for the other parties"}
_FUTURE = {
    "result": "for the result",
    "exception": "for the result",
    "get": "for the result",
    "wait": "for the result",
}

# Dotted name of a type -> its methods that wait, and what for.
WAITING_METHODS: dict[str, dict[str, str]] = {
    **dict.fromkeys(FUTURES, _FUTURE),
    **{f"threading.{name}": _THREAD for name in ("Thread", "Timer")},
    "threading.Event": _EVENT,
    "threading.Condition": _CONDITION,
    "threading.Barrier": _BARRIER,
    **{f"queue.{name}": _QUEUE for name in ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue")},
    **{f"queue.{name}(bounded)": _BOUNDED for name in ("Queue", "LifoQueue", "PriorityQueue")},
    **{f"multiprocessing.{name}": _QUEUE for name in ("Queue", "JoinableQueue", "SimpleQueue")},
    **{f"multiprocessing.{name}(bounded)": _BOUNDED for name in ("Queue", "JoinableQueue")},
    "multiprocessing.Process": _PROCESS,
    "multiprocessing.process.BaseProcess": _PROCESS,
    "multiprocessing.Event": _EVENT,
    "multiprocessing.Condition": _CONDITION,
    "multiprocessing.Barrier": _BARRIER,
    "subprocess.Popen": _CHILD,
}
# Methods that answer whether a wait would end at once, by the answer that says so; and methods whose
# caller is taken to know what the wait would find, whatever they answer.
ANSWERS = {"is_alive": False, "is_set": True}
TELLS = frozenset({"done", "empty", "full", "qsize", "poll", "cancelled", "ready"})

# Functions that wait, and what for.
WAITING_FUNCTIONS = {
    "concurrent.futures.wait": "for the results",
    "concurrent.futures.as_completed": "for the results",
    "multiprocessing.connection.wait": "for a connection",
    **dict.fromkeys(
        [
            *(
                f"subprocess.{name}"
                for name in ("run", "call", "check_call", "check_output", "getoutput", "getstatusoutput")
            ),
            *(f"os.{name}" for name in ("system", "wait", "waitpid", "wait3", "wait4")),
        ],
        "for a process to end",
    ),
    "time.sleep": "for the time to pass",
    "select.select": "for a descriptor",
    "signal.sigwait": "for a signal",
}
# Functions that look at many values one by one without asking for all at once.
VIEWS = frozenset(
    {"enumerate", "zip", "iter", "filter", "map", "reversed", "itertools.chain", "itertools.islice"}
)
