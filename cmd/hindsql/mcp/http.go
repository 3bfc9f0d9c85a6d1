package mcp

import (
	"cmp"
	"context"
	"net"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/loopback"
)

// Path is the URL path of the server.
const Path = "/mcp"

// ServeHTTP answers clients with the token, at the listener, until the context ends.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	return loopback.Serve(ctx, s.handlerHTTP(l.Addr(), token), l)
}

// handlerHTTP returns the handler of all HTTP requests. It checks the host, the origin
// and the token before the protocol's handler runs.
func (s *Server) handlerHTTP(at net.Addr, token string) http.Handler {
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk },
		&sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	s.sdk.AddReceivingMiddleware(ofRequest)
	mux := http.NewServeMux()
	mux.Handle(Path, loopback.Whole(endsWithRequest(protocol)))
	return loopback.Recovering(s.Panicked, loopback.FromHere(at, withToken(token, mux)))
}

// requestKey is the key under which a call's context holds the context of its HTTP
// request.
type requestKey struct{}

// endsWithRequest makes a call end with its HTTP request, because a client can't fetch
// the answer later. The SDK itself does so only for clients of protocol version
// 2026-07-28. endsWithRequest stores the request's context for [ofRequest].
func endsWithRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context())))
	})
}

// ofRequest cancels a call when its HTTP request ends. The context of the request comes
// from [endsWithRequest].
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
