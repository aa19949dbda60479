"""The whole walkthrough, run step by step on a deployed stack, with what each step expects and sees."""
