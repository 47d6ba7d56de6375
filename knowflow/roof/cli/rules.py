"""Commands about repair rules: which there are, what they say, whether they hold, and what they did in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from knowflow.ground.spelling import did_you_mean
from knowflow.roof.cli.options import Name, RunId
from knowflow.roof.cli.output import AsJson, emit, facade

if TYPE_CHECKING:
    from knowflow.model.rule import Rule

app = typer.Typer(help="What is done about failures.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_rules(
    cause: Annotated[
        str | None, typer.Option("--cause", metavar="CAUSE", help="Only the rules for this cause.")
    ] = None,
    json_: AsJson = False,
) -> None:
    """All rules, with how often each was tried and helped.

    Each is a sentence: IF a tool fails on such data THEN the graph is edited so.
    """
    service = facade()
    found = [rule for rule in service.rules().values() if cause is None or cause in rule.if_.cause]
    if cause is not None:
        from knowflow.model.causes import CAUSES

        if cause not in CAUSES:
            hint = did_you_mean(cause, CAUSES, "docs/repair.md lists the causes")
            raise typer.BadParameter(f"{cause!r} is no cause of failures; {hint}", param_hint="--cause")
    record = service.rule_record()
    if json_:
        emit({"rules": [_summary(rule, record.get(rule.rule, (0, 0))) for rule in found]})
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.rules import show_rules

    show_rules(output(), found, record)


def _summary(rule: Rule, record: tuple[int, int]) -> dict[str, Any]:
    return {
        "rule": rule.rule,
        "title": rule.title,
        "sentence": rule.sentence(),
        "causes": list(rule.if_.cause),
        "lossy": rule.lossy,
        "tries": record[0],
        "successes": record[1],
    }


@app.command("show")
def show_rule(name: Name, json_: AsJson = False) -> None:
    """One rule: pattern, actions, why, what is given up, source."""
    service = facade()
    rule = service.rule_book().rule(name)
    record = service.rule_record().get(name, (0, 0))
    if json_:
        emit({**rule.model_dump(mode="json", by_alias=True, exclude_defaults=True), **_summary(rule, record)})
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.rules import show_rule as show

    show(output(), rule, record, service.rule_book().files[name])


@app.command("test")
def run_tests(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Rules; default: all.")] = None,
    json_: AsJson = False,
) -> None:
    """Test rules on the failures that their authors describe.

    Each must match, and its edits must hold.
    """
    from knowflow.ground.errors import EXIT_OK, EXIT_PROBLEMS

    results = facade().test_rules(names or None)
    passed = all(one.passed for one in results)
    if json_:
        emit({"passed": passed, "tests": [one.to_json() for one in results]})
    else:
        from knowflow.roof.terminal.console import output
        from knowflow.roof.terminal.rules import show_rule_tests

        show_rule_tests(output(), results)
    raise typer.Exit(EXIT_OK if passed else EXIT_PROBLEMS)


@app.command("explain")
def explain_run(run_id: RunId, json_: AsJson = False) -> None:
    """Say what went wrong in a run, and what was done about it.

    Which rules applied to it, and why the others did not.
    """
    explained = facade().explain_repairs(run_id)
    if json_:
        emit(explained.to_json())
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.rules import show_explained

    show_explained(output(), explained)
