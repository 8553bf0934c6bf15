module example.com/modes

go 1.19

require example.com/dep v0.0.0

replace example.com/dep => ./dep
