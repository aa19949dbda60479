"""AWS in memory with a virtual clock: tables, streams, queues and functions, for days in seconds.

Each client has just the boto3 methods that event sources, functions and operators' verbs call here, with the
requests, answers and errors of boto3. Nothing in it runs by itself: what happens next is decided by whoever
holds it, which makes every order of events reachable, repeatable and countable. `tests/simulation` holds it to
the emulator and to moto by running the same histories on all three.

    clock, dynamodb, streams, sqs, functions    the services
    faults                                      what can happen to one call
    invocation                                  one run of a function, call by call
"""
