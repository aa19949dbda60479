"""Library of the command, relay, consumer and reconciler functions: commit, forward, apply once.

Uses the standard library and boto3 alone. Import from the module that holds the name
(`from outbox.commit import commit`): each function then loads only what it runs.

These names are public: they change by the rules of semantic versioning, docs/library.md has their contract, and
whatever else the modules hold may change at any time.

    canonical: canonical_json, parse_json
    clients: dynamodb_client, sqs_client
    commit: CommandResult, commit
    commit_changes: commit_update, commit_writes
    consume: consume
    domain: Domain
    effects: Add, Put, Update
    errors: CallRefusedError, ConflictingContent, ConflictingRequest, DomainCodeError, EffectRefusedError,
        EventIdTakenError, InvalidInputError, NotReadError, NotSentError, NotStoredError, OutOfTimeError, OutboxError,
        OutboxRowMissingError, SettingError, UnfinishedError, UnknownEventError, VersionConflictError,
        WriteRefusedError, describe
    events: Earlier, Event, EventType, Projection, no_effects
    fields: Field, Shape, Text, WholeNumber, read_fields
    forward: forward
    guards: AtLeast, Below
    intents: Intent, Performed, intent, mark_done, open_intents, perform_intents
    invocation: BatchResponse, LambdaContext, records_of
    items: Item, Key
    outgoing: OutgoingEvent
    publish: caused_by, publish
    retry: Backoff
    rows: RowOptions
    settings: aggregate_shard, queue_urls, required
    tracing: trace_headers
    transaction: IncomingEvent
"""
