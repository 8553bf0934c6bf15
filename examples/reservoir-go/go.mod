module reservoir

go 1.19
