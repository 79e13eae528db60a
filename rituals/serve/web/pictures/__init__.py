"""Draw pictures as SVG: pure functions of numbers and names."""
