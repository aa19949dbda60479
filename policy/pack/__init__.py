"""Code that the rules share: reading resources, IAM documents and the links between resources."""
