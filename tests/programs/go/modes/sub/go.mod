module example.com/modes/sub

go 1.19
