"""The whole system on one machine: emulator, event sources and deployer, with no AWS account."""
