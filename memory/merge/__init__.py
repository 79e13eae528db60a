"""The merge of two tips: its plan, what people wrote in it, and what it brings."""
