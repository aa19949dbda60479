"""The recipes of docs/components.md: a component with another name or another parent keeps its resources."""

from pathlib import Path

from tests.engine.harness import Stack, edit

EXPECT_NO_CHANGES = "--expect-no-changes"
END_OF_SOURCE, END_OF_RELAY = "settings.source)\n", "    },\n)\nreconciler"


def with_options(options: str, end: str) -> str:
    """The end of a component's registration, with options."""
    before, bracket, after = end.rpartition(")")
    comma = "," if "}" not in before else "    "
    return f"{before}{comma} pulumi.ResourceOptions({options}){bracket}{after}"


def test_renamed_component_with_an_alias_replaces_nothing(dev: Stack, program: Path) -> None:
    dev.up()
    before = dev.ids()
    main = program / "__main__.py"
    edit(main, "\nfrom components import", "\nimport pulumi\n\nfrom components import")
    edit(main, 'OutboxSource("orders"', 'OutboxSource("purchases"')
    edit(main, 'relay = Relay(\n    "orders",', 'relay = Relay(\n    "purchases",')
    for end in (END_OF_SOURCE, END_OF_RELAY):
        edit(main, end, with_options('aliases=[pulumi.Alias(name="orders")]', end))

    dev.up()

    after = dev.ids()
    assert sorted(after.values()) == sorted(before.values())
    assert {name for name in after if name.startswith("purchases-")}
    assert not {name for name in after if name.startswith("orders-")}
    dev.up(EXPECT_NO_CHANGES)


def test_component_moved_into_another_with_an_alias_replaces_nothing(dev: Stack, program: Path) -> None:
    dev.up()
    before = dev.ids()
    main = program / "__main__.py"
    edit(main, "\nfrom components import", "\nimport pulumi\n\nfrom components import")
    edit(main, "\nsource = ", '\nhome = pulumi.ComponentResource("my:index:Home", "home")\nsource = ')
    moved = "parent=home, aliases=[pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)]"
    for end in (END_OF_SOURCE, END_OF_RELAY):
        edit(main, end, with_options(moved, end))

    dev.up()

    assert dev.ids() == before
    dev.up(EXPECT_NO_CHANGES)
