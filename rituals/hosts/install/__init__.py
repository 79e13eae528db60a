"""Put into the files of hosts what calls Diurna, and take it out again to the byte."""
