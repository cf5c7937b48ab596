// Command etcd is the unchanged etcd server, as a module that can be built without its sources being checked out.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
