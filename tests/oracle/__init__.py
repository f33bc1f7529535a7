"""An oracle for specs that shares no code with the engines, and random specs for it."""
