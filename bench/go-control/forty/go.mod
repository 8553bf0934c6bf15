module forty

go 1.19
