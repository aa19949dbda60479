"""The walkthrough's domain, which is not on the import path: only functions have it there."""

from outbox_cli.domain import HANDLERS, load_module

orders = load_module(HANDLERS / "orders.py")
