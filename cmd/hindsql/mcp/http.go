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

// handlerHTTP returns all handlers before a tool. The outermost one checks the host.
func (s *Server) handlerHTTP(at net.Addr, token string) http.Handler {
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk },
		&sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	s.sdk.AddReceivingMiddleware(ofRequest)
	mux := http.NewServeMux()
	mux.Handle(Path, loopback.Whole(endsWithRequest(protocol)))
	return loopback.FromHere(at, withToken(token, mux))
}

// requestKey is the key of the HTTP request's context in a call's context.
type requestKey struct{}

// endsWithRequest ends calls with their HTTP request, because no client can fetch the
// answer later. By itself, the SDK ends calls only for clients of 2026-07-28.
func endsWithRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context())))
	})
}

// ofRequest is the server's half of endsWithRequest: it cancels a call when its HTTP
// request ends.
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
