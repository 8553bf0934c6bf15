module bubble

go 1.25
