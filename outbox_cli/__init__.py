"""The operator's verbs: the same functions on AWS and on the local AWS, and the command line over them."""
