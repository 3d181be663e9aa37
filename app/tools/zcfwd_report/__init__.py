"""Reading and showing what zcfwd recorded; doc/recording.md tells the formats."""
