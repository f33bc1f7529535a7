"""How far estimators of coverage are from the truth of synthetic webs."""
