"""Event types with versions, and what a consumer does with each; what it does not understand is refused.

A body is a JSON object: `event_id`, `type`, `version` (1 if it is left out), and the fields of that version.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from outbox.canonical import canonical_json, digest, parse_json
from outbox.effects import Effect
from outbox.errors import DomainCodeError, InvalidInputError, UnknownEventError, describe, words_of
from outbox.fields import Shape, read_fields
from outbox.items import require_event_id
from outbox.outgoing import OutgoingEvent
from outbox.transaction import Identity, IncomingEvent, effects_tuple

ENVELOPE = ("event_id", "type", "version")
_LONGEST_SHOWN = 100

Fields = Mapping[str, Any]


class Earlier(NamedTuple):
    """A version that is understood still: its fields, and the pure function that gives those of the next one."""

    fields: Shape
    upcast: Callable[[Fields], Fields]


def _is_earlier(version: object) -> bool:
    return isinstance(version, Earlier) and callable(version.upcast)


class EventType:
    """A type of event: the fields of its newest version, and the earlier versions, the oldest first.

    `oldest_version` is the number of the first of them; it rises when an old version is no longer understood.
    `writes_version_1` is false for a type whose first bodies had no `version`: those of version 1 stay as they were.

    Raises:
        ValueError: The name is blank, a field has a name of the envelope or cannot check a value, `earlier` is no
            list of `Earlier`, or `oldest_version` is no positive int.
    """

    def __init__(
        self,
        name: str,
        fields: Shape,
        earlier: Sequence[Earlier] = (),
        oldest_version: int = 1,
        *,
        writes_version_1: bool = True,
    ) -> None:
        self.name, self.fields, self.earlier = name, fields, earlier
        self.oldest_version, self._writes_version_1 = oldest_version, writes_version_1
        self._require_sound(name, earlier)

    def _require_sound(self, name: object, earlier: object) -> None:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise ValueError(
                f"An event type needs a name, printable text that is not blank; it has {describe(name)}"
            )
        if not isinstance(earlier, list | tuple) or not all(map(_is_earlier, earlier)):
            raise ValueError(
                f"{name}: earlier must be a list of Earlier(fields, function to the fields of the next version)"
            )
        versions: list[object] = [*self._versions]
        for shape in versions:
            if not isinstance(shape, Mapping):
                raise ValueError(
                    f"{name}: fields must be a mapping from names to fields, but are {describe(shape)}"
                )
            for field_name, field in shape.items():
                if isinstance(field, type) or not callable(getattr(field, "check", None)):
                    raise ValueError(
                        f"{name}: {field_name} must be a field such as Text(...) or WholeNumber(...), but is {field!r}"
                    )
        taken = [name for name in ENVELOPE for fields in self._versions if name in fields]
        if taken:
            raise ValueError(f"{self.name}: {taken[0]} is a field of every event")
        if type(self.oldest_version) is not int or self.oldest_version < 1:
            raise ValueError(
                f"{self.name}: oldest_version must be a whole number of 1 or more, but is {self.oldest_version!r}"
            )

    @property
    def newest_version(self) -> int:
        """The version that is written, and to which earlier ones are raised."""
        return self.oldest_version + len(self.earlier)

    @property
    def _versions(self) -> list[Shape]:
        return [*(version.fields for version in self.earlier), self.fields]

    def event(
        self, event_id: str, fields: Fields, headers: Mapping[str, str] = MappingProxyType({})
    ) -> OutgoingEvent:
        """An event of the newest version, to be committed; the headers travel beside its body.

        Raises:
            InvalidInputError: The fields are not exactly those of the version, the id is none that a consumer
                takes, or the body could not be read or sent.
        """
        require_event_id(event_id)
        read_fields(fields, f"The event {self.name}", self.fields)
        envelope: dict[str, object] = {"event_id": event_id, "type": self.name}
        if self._writes_version_1 or self.newest_version > 1:
            envelope["version"] = self.newest_version
        try:
            body = canonical_json({**fields, **envelope})
            # A field of one's own may take what no consumer reads: once committed, it would end as a dead letter.
            parse_json(body)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"No consumer could read the event {self.name}: {error}") from error
        return OutgoingEvent(event_id, body, dict(headers))

    def understands(self, version: object) -> bool:
        """Whether events of this version can be read."""
        return type(version) is int and self.oldest_version <= version <= self.newest_version

    def newest(self, fields: Fields, version: int) -> Fields:
        """The fields of an event that is understood, raised version by version to the newest.

        Raises:
            InvalidInputError: The fields are not exactly those of the version, before or after it was raised.
        """
        index = version - self.oldest_version
        fields = read_fields(fields, f"The event {self.name} {version}", self._versions[index])
        for number, older in enumerate(self.earlier[index:], start=version + 1):
            raised = older.upcast(fields)
            fields = read_fields(
                raised,
                f"The event {self.name} {version}, raised to {number},",
                self._versions[number - self.oldest_version],
            )
        return fields

    def __str__(self) -> str:
        versions = {self.oldest_version, self.newest_version}
        return f"{self.name} {'-'.join(map(str, sorted(versions)))}"


class Event(NamedTuple):
    """An event that was understood: its identity, and the fields of the newest version of its type."""

    event_id: str
    fields: Fields
    headers: Mapping[str, str] = MappingProxyType({})
    """Texts that came beside the body."""


EffectsOf = Callable[[Event], Iterable[Effect]]


def no_effects(_event: Event) -> tuple[Effect, ...]:
    """For a type of event that a consumer knows and has nothing to do for: its marker alone is stored."""
    return ()


class Projection:
    """Effects of one consumer for each type of event that it understands.

    Raises:
        ValueError: There is no type, two have one name, or what one does is no function.
    """

    def __init__(self, effects: Mapping[EventType, EffectsOf]) -> None:
        if not effects:
            raise ValueError("A projection needs an event type: one without any would refuse every message")
        given: Any = effects
        if not isinstance(given, Mapping):
            raise ValueError(f"A projection is made from one mapping, but is given {describe(given)}")
        for kind, effects_of in given.items():
            if not isinstance(kind, EventType) or not callable(effects_of):
                raise ValueError(
                    f"A projection maps each EventType to a function from an Event to effects, but {kind} is mapped "
                    f"to {describe(effects_of)}"
                )
        self._effects = {kind.name: (kind, effects_of) for kind, effects_of in effects.items()}
        if len(self._effects) < len(effects):
            raise ValueError("Two event types have one name: give one of them its versions")

    def parse(self, body: str, headers: Mapping[str, str] = MappingProxyType({})) -> IncomingEvent:
        """A message's event, with the effects of the newest version; the digest is that of the body as it came.

        Raises:
            UnknownEventError: The type or the version is not understood.
            InvalidInputError: The body is no event, or its fields are not those of its version.
            DomainCodeError: The function for it raised, or answered what cannot be its effects.
        """
        content = parse_json(body)
        if not isinstance(content, dict):
            raise InvalidInputError(f"The event must be an object, but is {describe(content)}")
        event_id, name, version = content.get("event_id"), content.get("type"), content.get("version", 1)
        if not isinstance(event_id, str) or not isinstance(name, str):
            raise InvalidInputError(
                "event_id and type of the event must be text, "
                f"but are {describe(event_id)} and {describe(name)}"
            )
        require_event_id(event_id)
        kind, effects_of = self._effects.get(name, (None, no_effects))
        if kind is None or not kind.understands(version):
            raise UnknownEventError(
                f"{event_id[:_LONGEST_SHOWN]} is of the type {name[:_LONGEST_SHOWN]!r} and version "
                f"{version if type(version) is int else describe(version)}; understood are {self}. "
                "Deploy a consumer that understands it, then redrive."
            )
        # Before domain code, which may change the lists that it is given: other content would look the same.
        identity = Identity(event_id, digest(content))
        fields = {key: value for key, value in content.items() if key not in ENVELOPE}
        try:
            newest = kind.newest(fields, version)
            return IncomingEvent(identity, effects_tuple(effects_of(Event(event_id, newest, headers))))
        except InvalidInputError as error:
            raise InvalidInputError(f"{event_id} is refused: {error}") from error
        except Exception as error:
            raise DomainCodeError(
                f"{event_id} of the type {kind.name} and version {version} meets domain code that "
                f"raised {type(error).__name__}: {words_of(error)}"
            ) from error

    def __str__(self) -> str:
        return ", ".join(str(kind) for kind, _ in self._effects.values())
