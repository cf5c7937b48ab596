{{- /* Labels of every object but their name. Selectors contain only the name, as they do without Helm. */ -}}
{{- define "dataprocessing-operator.commonLabels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "dataprocessing-operator.labels" -}}
app.kubernetes.io/name: dataprocessing-operator
{{ include "dataprocessing-operator.commonLabels" . }}
{{- end }}

{{- define "dataprocessing-operator.serviceLabels" -}}
app.kubernetes.io/name: dataprocessing-service
{{ include "dataprocessing-operator.commonLabels" . }}
{{- end }}

{{- define "dataprocessing-operator.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "dataprocessing-operator.tokenSecret" -}}
{{ .Values.service.token.existingSecret | default "service-token" }}
{{- end }}

{{- /* The namespaces in which the service may make clusters of pods, as JSON. Its own one is always among them: it reads its own pod there, and
makes the clusters of tenants without a namespace there. */ -}}
{{- define "dataprocessing-operator.clusterNamespaces" -}}
{{- $namespaces := list -}}
{{- with .Values.service -}}
{{- if and .enabled (eq .provisioner "kubernetes") -}}
{{- $namespaces = concat (list .namespace) (values .tenantNamespaces | sortAlpha) .clusterNamespaces | uniq -}}
{{- end -}}
{{- end -}}
{{- $namespaces | toJson -}}
{{- end }}

{{- /* What the service reads from files, as JSON: the content by name. */ -}}
{{- define "dataprocessing-operator.serviceFiles" -}}
{{- $files := dict -}}
{{- with .Values.service -}}
{{- if and .enabled (eq .provisioner "kubernetes") -}}
{{- if .tenantNamespaces }}{{ $_ := set $files "tenant-namespaces" (dict "tenants" .tenantNamespaces) }}{{ end -}}
{{- if .engineImages }}{{ $_ := set $files "engine-images" .engineImages }}{{ end -}}
{{- if .flavors }}
{{- $content := dict "flavors" .flavors -}}
{{- with .defaultJobFlavor }}{{ $_ := set $content "defaultJobFlavor" . }}{{ end -}}
{{- with .jobQueues }}{{ $_ := set $content "jobQueues" . }}{{ end -}}
{{- $_ := set $files "flavors-file" $content -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $files | toJson -}}
{{- end }}

{{- /* A size such as 1Gi divided by parts, in bytes, and at most what the service takes as a number. */ -}}
{{- define "dataprocessing-operator.partOf" -}}
{{- $units := dict "m" 0.001 "k" 1e3 "K" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 -}}
{{- $unit := regexFind "[A-Za-z]+$" .size -}}
{{- $factor := 1.0 -}}
{{- if $unit }}{{ $factor = get $units $unit }}{{ end -}}
{{- printf "%.0f" (floor (minf 9007199254740991.0 (divf (mulf (trimSuffix $unit .size) $factor) .parts))) -}}
{{- end }}

{{- /* Combinations of values that each are valid. */ -}}
{{- define "dataprocessing-operator.validate" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.leaderElection.enabled) }}
{{- fail "replicas must be 1 without leaderElection.enabled, because several replicas would all write" }}
{{- end }}
{{- if and .Values.watchAllNamespaces .Values.watchNamespaces }}
{{- fail "watchAllNamespaces and watchNamespaces exclude each other: unset one of them" }}
{{- end }}
{{- if and .Values.watchNamespaces (not .Values.installation) }}
{{- fail "watchNamespaces requires installation, a unique name such as team-a-production that never changes" }}
{{- end }}
{{- if and .Values.service.enabled .Values.watchNamespaces (not (has .Values.service.namespace .Values.watchNamespaces)) }}
{{- fail "service.namespace must be one of watchNamespaces, because the Connection is there" }}
{{- end }}
{{- if and (has .Release.Namespace (include "dataprocessing-operator.clusterNamespaces" . | fromJsonArray)) (ne (join "," .Values.watchNamespaces) .Release.Namespace) }}
{{- fail "service.namespace must not be the namespace of the operator, and no value of service.tenantNamespaces and service.clusterNamespaces, if that watches more: the service can run programs there as the operator" }}
{{- end }}
{{- if ne .Values.service.provisioner "kubernetes" }}
{{- range list "tenantNamespaces" "clusterNamespaces" "engineImages" "flavors" "defaultJobFlavor" "jobQueues" "storageClass" "egress" "historyUrl" "engineMetrics" "metricsFrom" "allowFetchFrom" "denyFetchFrom" "dns" "allowExposure" "ingressDomain" "ingressClass" "clusterDomain" }}
{{- if get $.Values.service . }}
{{- fail (printf "service.%s requires service.provisioner=kubernetes" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.service.metricsFrom (not .Values.service.engineMetrics) }}
{{- fail "service.metricsFrom requires service.engineMetrics=true" }}
{{- end }}
{{- if and .Values.service.defaultJobFlavor (not .Values.service.flavors) }}
{{- fail "service.defaultJobFlavor requires service.flavors, one of which it names" }}
{{- end }}
{{- if and .Values.service.jobQueues (not .Values.service.flavors) }}
{{- fail "service.jobQueues requires service.flavors, because both are in one file" }}
{{- end }}
{{- if and (has "Ingress" .Values.service.allowExposure) (not .Values.service.ingressDomain) }}
{{- fail "service.allowExposure with Ingress requires service.ingressDomain" }}
{{- end }}
{{- if and (or .Values.service.ingressDomain .Values.service.ingressClass) (not (has "Ingress" .Values.service.allowExposure)) }}
{{- fail "service.ingressDomain and service.ingressClass require Ingress in service.allowExposure" }}
{{- end }}
{{- if and .Values.web.service.enabled (not .Values.web.enabled) }}
{{- fail "web.service.enabled requires web.enabled=true" }}
{{- end }}
{{- if and .Values.web.ingressFrom (not .Values.web.service.enabled) }}
{{- fail "web.ingressFrom requires web.service.enabled=true, without which only kubectl port-forward reaches the page" }}
{{- end }}
{{- if and .Values.web.enabled (eq (int .Values.web.port) (int .Values.metrics.port)) }}
{{- fail "web.port and metrics.port must differ" }}
{{- end }}
{{- if not (or .Values.watchAllNamespaces .Values.watchNamespaces) }}
{{- fail "watchNamespaces is required, such as watchNamespaces={team-a} with installation=team-a-production; to watch all namespaces, as charts until 0.2.0 did by default, set watchAllNamespaces=true, which lets the operator read all Secrets of the Kubernetes cluster" }}
{{- end }}
{{- end }}
