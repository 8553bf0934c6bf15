module choices

go 1.19
