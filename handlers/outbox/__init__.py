"""What command, relay and consumer functions share: commit, forward, apply once.

Uses the standard library and boto3 alone. Import from the module that holds the function
(`from outbox.commit import commit`): each function then loads only what it runs.
"""
