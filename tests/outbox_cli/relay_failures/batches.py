"""What Lambda reports of a batch that it abandoned."""

FIRST, LAST = "2026-11-14T00:13:19Z", "2026-11-14T00:13:49Z"
# https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
ABANDONED_BATCH = {
    "requestContext": {"requestId": "r", "functionArn": "relay", "condition": "RetryAttemptsExhausted"},
    "version": "1.0",
    "timestamp": "2026-11-14T00:13:49.717Z",
    "DDBStreamBatchInfo": {
        "shardId": "shardId-1",
        "startSequenceNumber": "100",
        "endSequenceNumber": "109",
        "approximateArrivalOfFirstRecord": FIRST,
        "approximateArrivalOfLastRecord": LAST,
        "batchSize": 10,
        "streamArn": "stream",
    },
}
