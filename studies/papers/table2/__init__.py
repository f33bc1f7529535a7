"""Tables of links under which R1, R2 and R3 find all nine figures of Table 2 of [BeeBot]."""
