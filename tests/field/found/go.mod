module example.com/found

go 1.21

require (
	github.com/alitto/pond v1.9.2
	github.com/cskr/pubsub v1.0.2
	github.com/dgraph-io/ristretto v0.1.1
)

require (
	github.com/cespare/xxhash/v2 v2.1.1 // indirect
	github.com/dustin/go-humanize v1.0.0 // indirect
	github.com/golang/glog v0.0.0-20160126235308-23def4e6c14b // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/sys v0.0.0-20221010170243-090e33056c14 // indirect
)
