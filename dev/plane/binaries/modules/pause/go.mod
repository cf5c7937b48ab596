// Builds the program that holds the namespaces of a pod, and those of a node.
module dataprocessing-operator/dev/plane/binaries/modules/pause

go 1.26.0
