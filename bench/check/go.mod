module check

go 1.19
