"""List the words of orders: a prompt that has nothing else asks for nothing that memory knows."""

from __future__ import annotations

#: What is to be done, to anything.
CHORES = frozenset(
    """
    0 1 2 3 4 5 6 7 8 9 add agent agents apply ask build bump change changes check clean clone
    close closed code command commands commit commits compare complete continue copy create cut
    debug delete deploy describe do document doesn don done double draft edit ensure execute
    explain file files find finish fix fixed folder format generate go help implement improve
    install issue issues keep lint list look make merge move new next now ok okay open phase
    plan please pr proceed project pull push read refactor release remove rename repo rerun
    resolve restart retry review rewrite run running script ship show start status step stop
    summarize switch task tasks test tests thanks todo try update upgrade use validate verify
    works write yes
    """.split()
)
