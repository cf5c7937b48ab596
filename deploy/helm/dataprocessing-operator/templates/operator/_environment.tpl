{{- define "dataprocessing-operator.environment" -}}
- name: DATAPROCESSING_LEADER_ELECT
  value: {{ .Values.leaderElection.enabled | quote }}
# The reporter of events, and the holder of the lease.
- name: POD_NAME
  valueFrom:
    fieldRef:
      apiVersion: v1
      fieldPath: metadata.name
{{- $port := .Values.metrics.port | int }}
{{- $web := "" }}
{{- with .Values.web }}
{{- if .enabled }}{{ $web = printf "%s:%d" (ternary "" "127.0.0.1" .service.enabled) (int .port) }}{{ end }}
{{- end }}
{{- $flags := dict
  "DATAPROCESSING_NAMESPACES" (join "," .Values.watchNamespaces)
  "DATAPROCESSING_INSTALLATION" .Values.installation
  "DATAPROCESSING_LOG_LEVEL" .Values.logLevel
  "DATAPROCESSING_QUARANTINE" .Values.quarantine
  "DATAPROCESSING_SHUTDOWN_TIMEOUT" .Values.shutdownTimeout
  "DATAPROCESSING_LEASE_DURATION" .Values.leaderElection.leaseDuration
  "DATAPROCESSING_LEASE_RENEW_DEADLINE" .Values.leaderElection.renewDeadline
  "DATAPROCESSING_LEASE_RETRY_PERIOD" .Values.leaderElection.retryPeriod
  "DATAPROCESSING_HEALTH_ADDRESS" (ternary "" (printf ":%d" $port) (eq $port 8081))
  "DATAPROCESSING_WEB_ADDRESS" $web
  "HTTPS_PROXY" .Values.proxy.httpsProxy
  "HTTP_PROXY" .Values.proxy.httpProxy
  "NO_PROXY" .Values.proxy.noProxy
}}
{{- range $name, $value := $flags }}
{{- if $value }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
