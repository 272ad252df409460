"""The files of the plugin that repeat what the records of hosts and the package say."""

import json
from typing import Any

import gatilho
from gatilho.hosts import host_named
from gatilho.setup import module, registration

NAME = "gatilho"
TITLE = "Rules and debts for coding agents, kept in Markdown tables in git"
SKILLS = ("debts", "gatilho-row", "remember")
# Codex, Copilot and Qwen install what is in Claude Code's format, so the event has to say which host sends it.
CALL = "gatilho hook"


def files(skill_text: dict[str, str]) -> dict[str, str]:
    """Return the text of each generated file by its name. skill_text: the skills, which an extension holds, too."""
    hooks = {"plugin/hooks/hooks.json": "claude", "plugin/hooks/codex.json": "codex"}
    return {
        ".claude-plugin/marketplace.json": _json(
            name=NAME,
            description=TITLE,
            owner={"name": NAME},
            plugins=[{"name": NAME, "source": "./plugin", "description": TITLE}],
        ),
        ".agents/plugins/marketplace.json": _json(
            name=NAME,
            interface={"displayName": NAME},
            plugins=[
                {
                    "name": NAME,
                    "source": {"source": "local", "path": "./plugin"},
                    "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                    "category": "Productivity",
                }
            ],
        ),
        "plugin/.claude-plugin/plugin.json": _json(**_manifest(), author={"name": NAME}, license="MIT"),
        "plugin/.codex-plugin/plugin.json": _json(**_manifest(), skills="./skills/", hooks="./hooks/codex.json"),
        "plugin/gemini/gemini-extension.json": _json(**_manifest()),
        "plugin/gemini/hooks/hooks.json": _hooks("gemini", f"{CALL} --host gemini"),
        "plugin/opencode/gatilho.js": module.module_text(
            "", "gatilho.js", host_named("opencode"), "gatilho hook --host opencode; exit 0"
        ),
        **{name: _hooks(host, CALL) for name, host in hooks.items()},
        **{f"plugin/gemini/skills/{name}/SKILL.md": text for name, text in skill_text.items()},
    }


def _manifest() -> dict[str, str]:
    return {"name": NAME, "version": gatilho.__version__, "description": TITLE}


def _hooks(name: str, call: str) -> str:
    host = host_named(name)
    return registration.register_hooks("", "hooks.json", host, registration.with_exit(host, call))


def _json(**members: Any) -> str:
    return json.dumps(members, indent=2) + "\n"
