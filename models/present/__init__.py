"""How verdicts are shown: charts, pages, text, JSON, JUnit, annotations."""
