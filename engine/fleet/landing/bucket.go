package landing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// bucket is a target behind an S3 API.
type bucket struct {
	url, name, prefix string
	core              *minio.Core
}

// The default hosts of the S3 APIs.
const (
	awsHost    = "s3.amazonaws.com"
	googleHost = "storage.googleapis.com"
)

// openBucket returns the target of SCHEME://BUCKET/PREFIX.
func openBucket(address string, o Options) (*Target, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	b := &bucket{url: address}
	b.name, b.prefix, _ = strings.Cut(rest, "/")
	if b.name == "" {
		return nil, fmt.Errorf("%s: %w", b.url, errNoTarget)
	}
	if b.prefix != "" && (path.Clean(b.prefix) != b.prefix || strings.HasPrefix(b.prefix, "..")) {
		return nil, fmt.Errorf("%s: %q is no prefix; leave out empty and dotted parts", b.url, b.prefix)
	}
	host, secure, err := apiOf(scheme, cmp.Or(o.Endpoint, o.env("AWS_ENDPOINT_URL_S3"), o.env("AWS_ENDPOINT_URL")))
	if err != nil {
		return nil, err
	}
	region := cmp.Or(o.Region, o.env("AWS_REGION"), o.env("AWS_DEFAULT_REGION"))
	if scheme == "gs" {
		region = cmp.Or(region, "auto")
	}
	if region == "" {
		return nil, fmt.Errorf("%s: no region; name the bucket's with --region, or in AWS_REGION", b.url)
	}
	keys, err := o.keys()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.url, err)
	}
	b.core, err = minio.NewCore(host, &minio.Options{Creds: keys, Secure: secure, Region: region, MaxRetries: 5})
	return &Target{URL: b.url, Place: host + "/" + rest, Put: b.put, Get: b.get, List: b.list, Folders: b.folders, Remove: b.remove}, err
}

// apiOf returns the host of an API, and whether to use TLS.
func apiOf(scheme, endpoint string) (host string, secure bool, err error) {
	switch {
	case endpoint == "" && scheme == "gs":
		return googleHost, true, nil
	case endpoint == "":
		return awsHost, true, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" {
		return "", false, fmt.Errorf("endpoint %q: no URL of an S3 API, such as https://minio.example.org:9000", endpoint)
	}
	return u.Host, u.Scheme == "https", nil
}

func (o Options) env(name string) string {
	if o.Getenv == nil {
		return ""
	}
	return o.Getenv(name)
}

// keys returns the keys from the environment, or otherwise from AWS's shared
// credentials file. It sends no network request for keys.
func (o Options) keys() (*credentials.Credentials, error) {
	if id := o.env("AWS_ACCESS_KEY_ID"); id != "" {
		return credentials.NewStaticV4(id, o.env("AWS_SECRET_ACCESS_KEY"), o.env("AWS_SESSION_TOKEN")), nil
	}
	file := o.env("AWS_SHARED_CREDENTIALS_FILE")
	if file == "" && o.Home != "" {
		file = filepath.Join(o.Home, ".aws", "credentials")
	}
	keys := credentials.NewFileAWSCredentials(file, cmp.Or(o.env("AWS_PROFILE"), "default"))
	if file != "" {
		if v, err := keys.GetWithContext(nil); err == nil && v.AccessKeyID != "" {
			return keys, nil
		}
	}
	return nil, errors.New("no keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile of ~/.aws/credentials in AWS_PROFILE")
}

// key returns the object key of a file name.
func (b *bucket) key(name string) (string, error) {
	if name == "" || path.IsAbs(name) || path.Clean(name) != name || strings.HasPrefix(name, "..") {
		return "", fmt.Errorf("%q: no name of a file in %s", name, b.url)
	}
	return path.Join(b.prefix, name), nil
}

// wrap turns an error of the API into an error that names the file. A missing file
// gives fs.ErrNotExist, and a forbidden file fs.ErrPermission.
func (b *bucket) wrap(name string, err error) error {
	if err == nil {
		return nil
	}
	switch answer := minio.ToErrorResponse(err); answer.Code {
	case minio.NoSuchKey:
		err = fs.ErrNotExist
	case minio.AccessDenied:
		err = fmt.Errorf("%w: the policy of these keys doesn't allow it", fs.ErrPermission)
	case minio.NoSuchBucket:
		err = fmt.Errorf("no bucket %s in this region", b.name)
	}
	return fmt.Errorf("%s/%s: %w", b.url, name, err)
}

func (b *bucket) put(ctx context.Context, name string, r io.Reader, size int64) error {
	key, err := b.key(name)
	if err != nil {
		return err
	}
	_, err = b.core.Client.PutObject(ctx, b.name, key, r, size, minio.PutObjectOptions{})
	return b.wrap(name, err)
}

func (b *bucket) get(ctx context.Context, name string) (io.ReadCloser, error) {
	key, err := b.key(name)
	if err != nil {
		return nil, err
	}
	r, _, _, err := b.core.GetObject(ctx, b.name, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.wrap(name, err)
	}
	return r, nil
}

func (b *bucket) list(ctx context.Context, below string, visit func(Entry) error) error {
	return b.each(ctx, below, true, func(o minio.ObjectInfo, name string) error {
		return visit(Entry{name, o.Size, o.LastModified})
	})
}

func (b *bucket) folders(ctx context.Context, in string) (names []string, err error) {
	err = b.each(ctx, in, false, func(o minio.ObjectInfo, name string) error {
		if strings.HasSuffix(o.Key, "/") {
			names = append(names, path.Base(name))
		}
		return nil
	})
	return names, err
}

// each calls visit for each object in a folder, with its name in the target. If below
// is true, each includes all subfolders.
func (b *bucket) each(ctx context.Context, folder string, below bool, visit func(o minio.ObjectInfo, name string) error) error {
	key, err := b.key(folder)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx) // ends the listing when visit fails
	defer stop()
	for o := range b.core.Client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: key + "/", Recursive: below}) {
		if o.Err != nil {
			return b.wrap(folder, o.Err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(o.Key, b.prefix), "/"), "/")
		if err := visit(o, name); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (b *bucket) remove(ctx context.Context, name string) error {
	key, err := b.key(name)
	if err != nil {
		return err
	}
	err = b.core.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{})
	if err = b.wrap(name, err); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
