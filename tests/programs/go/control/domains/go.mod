module domains

go 1.19
