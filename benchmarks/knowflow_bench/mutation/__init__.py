"""Whether mistakes in what compiles, carries out and judges expressions are seen: each is made once, and judged."""
