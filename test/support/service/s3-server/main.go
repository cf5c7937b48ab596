// A small S3 server for tests: gofakes3 in memory, behind a check of signatures. Each request has to be signed with the access key
// that the server knows. The check signs the request again, with the signer of the AWS SDK for Go, and compares. It covers the
// headers of a request and the digest of its body that they name, but not the signatures of single chunks of a body.
package main

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

const maxSkew = 15 * time.Minute

var authorization = regexp.MustCompile(
	`^AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([a-z0-9-]+)/s3/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$`)

// What is signed with which key, and the result.
type signature struct{ key, date, region, headers, value string }

func signatureOf(request *http.Request) (signature, error) {
	parts := authorization.FindStringSubmatch(request.Header.Get("Authorization"))
	if parts == nil {
		return signature{}, errors.New("there is no signature of version 4")
	}
	return signature{parts[1], parts[2], parts[3], parts[4], parts[5]}, nil
}

// check returns an error if the request is not signed with the credentials.
func check(request *http.Request, credentials aws.Credentials) error {
	given, err := signatureOf(request)
	if err != nil {
		return err
	}
	if given.key != credentials.AccessKeyID {
		return errors.New("the access key is unknown")
	}
	at, err := time.Parse("20060102T150405Z", request.Header.Get("X-Amz-Date"))
	if err != nil || at.Format("20060102") != given.date {
		return errors.New("the date is missing, or another one than that of the key")
	}
	if time.Since(at).Abs() > maxSkew {
		return errors.New("the date is too far away")
	}
	wanted, err := signAgain(request, given, credentials, at)
	if err != nil {
		return err
	}
	if wanted.headers != given.headers {
		return fmt.Errorf("the signature is for the headers %s, and not for %s", given.headers, wanted.headers)
	}
	if subtle.ConstantTimeCompare([]byte(wanted.value), []byte(given.value)) != 1 {
		return errors.New("the signature is another one")
	}
	return nil
}

// signAgain signs what the request says that it has signed.
func signAgain(request *http.Request, given signature, credentials aws.Credentials, at time.Time) (signature, error) {
	again, err := http.NewRequest(request.Method, "http://"+request.Host+request.URL.RequestURI(), nil)
	if err != nil {
		return signature{}, err
	}
	for _, name := range strings.Split(given.headers, ";") {
		switch name {
		case "host":
		case "content-length":
			again.ContentLength = request.ContentLength
		default:
			again.Header[http.CanonicalHeaderKey(name)] = request.Header.Values(name)
		}
	}
	asSent := func(options *v4.SignerOptions) { options.DisableURIPathEscaping = true }
	digest := request.Header.Get("X-Amz-Content-Sha256")
	err = v4.NewSigner().SignHTTP(context.Background(), credentials, again, digest, "s3", given.region, at, asSent)
	if err != nil {
		return signature{}, err
	}
	return signatureOf(again)
}

// The arguments are the buckets. Credentials and address are in the environment. The first line of the output is the URL.
func main() {
	credentials := aws.Credentials{AccessKeyID: os.Getenv("ACCESS_KEY"), SecretAccessKey: os.Getenv("SECRET_KEY")}
	backend := s3mem.New()
	for _, bucket := range os.Args[1:] {
		if err := backend.CreateBucket(bucket); err != nil {
			panic(err)
		}
	}
	server := gofakes3.New(backend).Server()
	handler := http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if err := check(request, credentials); err != nil {
			fmt.Printf("403 %s %s: %s\n", request.Method, request.URL.Path, err)
			answer.Header().Set("Content-Type", "application/xml")
			answer.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(answer, "<Error><Code>SignatureDoesNotMatch</Code><Message>%s</Message></Error>", err)
			return
		}
		fmt.Printf("%s %s\n", request.Method, request.URL.Path)
		server.ServeHTTP(answer, request)
	})
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), "0"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	panic(http.Serve(listener, handler))
}
