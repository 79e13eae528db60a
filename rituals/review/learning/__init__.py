"""Learn: propose facts, findings and promotions that a person lets in, and write none unasked."""
