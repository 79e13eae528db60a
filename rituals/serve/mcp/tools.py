"""List the tools: what a client can call, and what it is told about each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger.model.record import Record
from rituals.record.json_request import Strict
from rituals.serve.mcp import input_schemas as asked
from rituals.serve.mcp import read_tools as questions
from rituals.serve.mcp import responses as answered
from rituals.serve.mcp import task_tool as tasks
from rituals.serve.mcp import write_tools as records
from rituals.serve.mcp.client_name import Caller
from rituals.serve.mcp.responses import Answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory


class Tool(Record):
    """One tool."""

    name: str  #: what a client calls
    description: str  #: what an agent is told: it is part of every prompt
    takes: type[Strict]  #: the model of its arguments
    gives: type[Answered]  #: the model of its answer
    run: Callable[[Memory, Any, Caller], Answered]  #: does it
    writes: bool = False  #: whether it may append a log; none takes anything away


TOOLS = (
    Tool("brief", "Start here: what you must know of this project now, within a budget.",
         asked.BriefAsked, answered.BriefAnswered, questions.brief),
    Tool("recall", "Search memory: facts and session logs. One line a hit; then `get` the few you need. "
         "Filters take names with commas between.",
         asked.RecallAsked, answered.RecallAnswered, questions.recall),
    Tool("get", "Read hits or facts by id, whole.",
         asked.GetAsked, answered.RecallAnswered, questions.get),
    Tool("append", "Record a stretch of work as one log: what happened, facts learned, changed or relied "
         "on. Write what the next agent needs, no secrets. A retry is recorded once.",
         asked.AppendAsked, answered.AppendAnswered, records.append, writes=True),
    Tool("resolve", "Settle a contradiction about a fact: list its sides, then choose one or give a new "
         "text.",
         asked.ResolveAsked, answered.ResolveAnswered, records.resolve, writes=True),
    Tool("task", "What is to be done: pick, start, move a task, hand it over (a line a point).",
         asked.TaskAsked, answered.TaskAnswered, tasks.task, writes=True),
    Tool("learn", "List patterns of what was met again and again, for a person to let in; writes no fact.",
         asked.LearnAsked, answered.LearnAnswered, records.learn, writes=True),
    Tool("status", "Count facts and logs; say what is contradicted, due or unpublished.",
         asked.StatusAsked, answered.StatusAnswered, questions.status),
)  # fmt: skip
BY_NAME = {tool.name: tool for tool in TOOLS}
