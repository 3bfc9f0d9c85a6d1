package lake

import "testing"

// TestKeys: DuckDB gets the environment's keys in the way AWS's own programs read them.
func TestKeys(t *testing.T) {
	const begin = "CREATE OR REPLACE SECRET hindsql_lake (TYPE s3, KEY_ID 'id', SECRET 'it''s'"
	for want, environment := range map[string]map[string]string{
		"":                                 {"AWS_ACCESS_KEY_ID": "id"},
		begin + ")":                        {},
		begin + ", SESSION_TOKEN 'token')": {"AWS_SESSION_TOKEN": "token"},
		begin + ", REGION 'eu')":           {"AWS_REGION": "eu", "AWS_DEFAULT_REGION": "us"},
		begin + ", REGION 'us')":           {"AWS_DEFAULT_REGION": "us"},
		begin + ", ENDPOINT 'host:9000', URL_STYLE 'path', USE_SSL false)": {"AWS_ENDPOINT_URL": "http://host:9000/"},
		begin + ", ENDPOINT 's3.example', URL_STYLE 'path', USE_SSL true)": {"AWS_ENDPOINT_URL_S3": "https://s3.example", "AWS_ENDPOINT_URL": "http://host"},
	} {
		if want != "" {
			environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"] = "id", "it's"
		}
		if got := keys(func(name string) string { return environment[name] }); got != want {
			t.Errorf("%v: %s, want %s", environment, got, want)
		}
	}
	if got := keys(func(name string) string { return map[string]string{"AWS_SECRET_ACCESS_KEY": "x"}[name] }); got != "" {
		t.Errorf("a secret without an id: %s", got)
	}
}
