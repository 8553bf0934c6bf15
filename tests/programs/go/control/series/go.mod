module series

go 1.19
