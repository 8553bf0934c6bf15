module names

go 1.17
