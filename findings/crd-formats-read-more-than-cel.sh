#!/usr/bin/env bash
# A custom resource takes durations and times that other readers refuse or read differently, in the same API server.
#
# Versions   kube-apiserver 1.36.3 and etcd 3.7.3, for Linux
# Input      texts in a field with format: duration, in one with format: date-time, and in one without a format that a CEL
#            rule reads with duration()
# Expected   both formats take what CEL's duration() and timestamp() take, and all mean the same
# Seen       - "P1D", "1 hour" and "every 1h" are durations for the schema, and errors for duration().
#            - "P1M", a month in ISO 8601, is 60 seconds. "P1Y" is refused.
#            - "1h -2h" is three hours: only the first sign counts.
#            - A date-time in lowercase, which RFC 3339 allows, passes the schema, and then no rule can read it.
# Meaning    Check durations of a custom resource with a pattern of your own. A controller that reads the text with
#            time.ParseDuration fails on what the API server has accepted.
#
# KUBE_ASSETS can name a folder with kube-apiserver and etcd. Otherwise they are downloaded to a temporary folder.
set -euo pipefail

work=$(mktemp -d)
trap 'kill -KILL $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
assets=${KUBE_ASSETS:-$work/bin}
if [ -z "${KUBE_ASSETS:-}" ]; then
  machine=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
  mkdir "$assets"
  curl -fsSL -o "$assets/kube-apiserver" "https://dl.k8s.io/v1.36.3/bin/linux/$machine/kube-apiserver"
  curl -fsSL "https://github.com/etcd-io/etcd/releases/download/v3.7.3/etcd-v3.7.3-linux-$machine.tar.gz" |
    tar -xz -C "$assets" --strip-components=1
  chmod +x "$assets/kube-apiserver"
fi

client=http://127.0.0.1:${ETCD_PORT:-23790} peer=http://127.0.0.1:${PEER_PORT:-23800} port=${PORT:-26440}
server=https://127.0.0.1:$port
openssl genrsa -out "$work/key" 2048 2>/dev/null
echo 'finding,admin,1,system:masters' > "$work/tokens"
"$assets/etcd" --data-dir "$work/data" --listen-client-urls "$client" --advertise-client-urls "$client" \
  --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "default=$peer" > "$work/etcd.log" 2>&1 &
"$assets/kube-apiserver" --etcd-servers "$client" --bind-address 127.0.0.1 --secure-port "$port" --cert-dir "$work/certs" \
  --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$work/key" \
  --service-account-signing-key-file "$work/key" --service-cluster-ip-range 10.0.0.0/24 --authorization-mode RBAC \
  --token-auth-file "$work/tokens" > "$work/api.log" 2>&1 &

api() { curl -sk -H 'Authorization: Bearer finding' -H "Content-Type: application/${type:-json}" "$@"; }
await() { for _ in $(seq 300); do if "$@"; then return; fi; sleep 0.4; done; echo "no $*" >&2; tail -3 "$work/api.log" >&2; exit 2; }
ready() { [ "$(api "$server/readyz")" = ok ]; }
await ready

# Each rule is broken, so that the API server says what it has read and stores nothing.
cat > "$work/crd.yaml" <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: timers.findings.example}
spec:
  group: findings.example
  names: {kind: Timer, plural: timers, singular: timer}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          duration:
            type: string
            format: duration
            x-kubernetes-validations:
            - {rule: "self < duration('0s')", messageExpression: "'reads %d s'.format([self.getSeconds()])"}
          text:
            type: string
            maxLength: 50
            x-kubernetes-validations:
            - {rule: "duration(self) < duration('0s')", messageExpression: "'reads %d s'.format([duration(self).getSeconds()])"}
          time:
            type: string
            format: date-time
            x-kubernetes-validations:
            - {rule: "self < timestamp('1970-01-01T00:00:00Z')", messageExpression: "'reads %s'.format([self])"}
YAML
type=yaml api --data-binary "@$work/crd.yaml" "$server/apis/apiextensions.k8s.io/v1/customresourcedefinitions" > "$work/crd.log"
timers=$server/apis/findings.example/v1/timers
served() { [ "$(api -o /dev/null -w '%{http_code}' "$timers")" = 200 ]; }
await served

try() {
  local answer said=refused
  answer=$(api -d "{\"apiVersion\":\"findings.example/v1\",\"kind\":\"Timer\",\"metadata\":{\"name\":\"t\"},\"$1\":\"$2\"}" "$timers")
  case $answer in
    *'reads '*) said=$(grep -m1 -oE 'reads [^" ]+( s)?' <<< "$answer") ;;
    *'evaluating rule'* | *'Invalid date-time'*) said='passes the schema, is an error in CEL' ;;
  esac
  [ "$1" = text ] && said=${said/passes the schema, /}
  echo "$1 $2: $said"
}
{
  for text in 1h30m 1d P1D '1 hour' 'every 1h' P1M P1Y '1h -2h'; do try duration "$text"; done
  for text in 1h30m 1d P1D '1 hour'; do try text "$text"; done
  for text in 2026-01-01T10:00:00Z 2026-01-01t10:00:00z; do try time "$text"; done
} > "$work/seen"

cat > "$work/known" <<'TEXT'
duration 1h30m: reads 5400 s
duration 1d: reads 86400 s
duration P1D: reads 86400 s
duration 1 hour: reads 3600 s
duration every 1h: reads 3600 s
duration P1M: reads 60 s
duration P1Y: refused
duration 1h -2h: reads 10800 s
text 1h30m: reads 5400 s
text 1d: is an error in CEL
text P1D: is an error in CEL
text 1 hour: is an error in CEL
time 2026-01-01T10:00:00Z: reads 2026-01-01T10:00:00Z
time 2026-01-01t10:00:00z: passes the schema, is an error in CEL
TEXT
cat "$work/seen"
diff "$work/known" "$work/seen" || { echo 'the behavior has changed: update this finding' >&2; exit 1; }
