package mcp

import (
	"cmp"
	"context"
	"net"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/loopback"
)

// Path is where the server answers over HTTP.
const Path = "/mcp"

// ServeHTTP answers who has the token, at the listener, until the context ends.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	return loopback.Serve(ctx, s.handlerHTTP(l.Addr(), token), l)
}

// handlerHTTP is the whole of what stands before a tool, from the outside in.
func (s *Server) handlerHTTP(at net.Addr, token string) http.Handler {
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk },
		&sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	s.sdk.AddReceivingMiddleware(ofRequest)
	mux := http.NewServeMux()
	mux.Handle(Path, loopback.Whole(endsWithRequest(protocol)))
	return loopback.FromHere(at, withToken(token, mux))
}

// requestKey is where a call's context keeps that of the request it came in.
type requestKey struct{}

// endsWithRequest lets calls end when their request does: nobody can ask for the
// answer again. The SDK does so for clients of 2026-07-28 only.
func endsWithRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context())))
	})
}

// ofRequest is the other half of endsWithRequest, in the server.
func ofRequest(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		request, ok := ctx.Value(requestKey{}).(context.Context)
		if !ok {
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(request, func() { cancel(cmp.Or(context.Cause(request), context.Canceled)) })()
		return next(ctx, method, req)
	}
}
