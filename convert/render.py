"""Records into text by a template: chat turns in a model's format, or any columns in any words.

Templates are Jinja's, as tokenizers carry them (`chat_template`): `messages` is the list of turns, and every column of
a record goes by its name. They run in a sandbox, see no clock, and a name that a record lacks is an error.
"""

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.exceptions import UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bookblend.errors import UsageError

# What chats look like where no template is given, and other common formats by name.
NAMED = {
    "plain": (
        "{% for turn in messages %}{{ '' if loop.first else '\n\n' }}"
        "{{ turn.role | capitalize }}: {{ turn.content }}{% endfor %}"
    ),
    "chatml": (
        "{% for turn in messages %}{{ '<|im_start|>' + turn.role + '\n' + turn.content + '<|im_end|>\n' }}{% endfor %}"
    ),
    "alpaca": (
        "{% for turn in messages %}{{ '' if loop.first else '\n\n' }}"
        "{{ '### Instruction:\n' if turn.role == 'user' else '### Response:\n' if turn.role == 'assistant' else '' }}"
        "{{ turn.content }}{% endfor %}"
    ),
}


class RenderError(ValueError):
    """A record that a template cannot be filled with; the text says why."""


def compile_template(source: str, given: str = "") -> Callable[[Mapping[str, Any]], str]:
    """A function from a record to its text.

    `source` is the template's text, `given` how the user named it, for errors. Raises `UsageError` where it is no
    template; the function raises `RenderError`.
    """
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False, undefined=StrictUndefined
    )  # as tokenizers do, but for names that are not there: they would become nothing, silently
    environment.globals["raise_exception"] = _refuse
    try:
        template = environment.from_string(source)
    except TemplateSyntaxError as error:
        raise UsageError(f"--template {given}: line {error.lineno}: {error.message}") from error

    def render(record: Mapping[str, Any]) -> str:
        try:
            return template.render(record)
        except UndefinedError as error:
            raise RenderError(f"lacks what the template names ({error.message})") from error
        except (
            TemplateError,
            TypeError,
            ValueError,
            ArithmeticError,
            LookupError,
            AttributeError,
            MemoryError,
        ) as error:
            raise RenderError(f"does not fit the template ({error})") from error

    return render


def _refuse(message: str) -> str:
    raise RenderError(f"is refused by the template ({message})")
