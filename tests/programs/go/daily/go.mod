module example.com/daily
go 1.19
