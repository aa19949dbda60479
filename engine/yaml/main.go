// The YAML language host as Pulumi has it, and the answer that `pulumi package add` wants of it.
//
// The newest one that is to be had as a Go module lacks Link; since https://github.com/pulumi/pulumi-yaml/pull/929
// Pulumi's own has it, and answers as here.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/pulumi/pulumi-yaml/pkg/server"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/cmdutil"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

const engineSilence = 5 * time.Minute

type languageHost struct {
	pulumirpc.LanguageRuntimeServer
}

// Link has nothing to do: the engine itself names the package in Pulumi.yaml.
func (languageHost) Link(context.Context, *pulumirpc.LinkRequest) (*pulumirpc.LinkResponse, error) {
	return &pulumirpc.LinkResponse{}, nil
}

func main() {
	tracing := flag.String("tracing", "", "where to send traces")
	flag.String("root", "", "folder of the program; each call names it too")
	flag.Parse()
	if err := serve(flag.Arg(0), *tracing); err != nil {
		cmdutil.Exit(err)
	}
}

// serve prints the port, which is what the engine waits for, and ends with an interrupt or with the engine.
func serve(engine, tracing string) error {
	ended, end := signal.NotifyContext(context.Background(), os.Interrupt)
	defer end()
	if err := rpcutil.Healthcheck(ended, engine, engineSilence, end); err != nil {
		return err
	}
	stop := make(chan bool)
	go func() { <-ended.Done(); close(stop) }()
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: stop,
		Init: func(srv *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(srv, languageHost{server.NewLanguageHost(engine, tracing, false)})
			return nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Println(handle.Port)
	return <-handle.Done
}
