{{- /* The labels that select the pods of a component. Parameters of each helper: root, component. */ -}}
{{- define "malipo.selector" -}}
app.kubernetes.io/name: malipo
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "malipo.labels" -}}
{{ include "malipo.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "malipo.image" -}}
{{- $repository := required "image.repository is empty: set it to the repository of your image, such as registry.example.tz/malipo" .root.Values.image.repository -}}
{{- $tag := required "image.tag is empty: set it to the version of your image, such as 0.2.0" .root.Values.image.tag -}}
image: {{ printf "%s:%s" $repository $tag | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- end -}}

{{- /* The environment of each process. The server reads each secret from a file. */ -}}
{{- define "malipo.env" -}}
{{- $base := required "settings.BASE_URL is empty: set it to the public https address" .root.Values.settings.BASE_URL -}}
{{- $amount := required "settings.FOUR_EYES_AMOUNT is empty: set it to the amount a day from which on two operators must act, or to off" .root.Values.settings.FOUR_EYES_AMOUNT -}}
- name: NODE_ENV
  value: production
# Kubernetes deletes the disk of a pod. So without AUDIT_ANCHOR_URL, the anchors of the audit log are in the database only.
- name: AUDIT_ANCHOR_FILE
  value: "off"
{{- range $name, $value := .root.Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $key := .root.Values.secret.keys }}
- name: {{ $name }}_FILE
  value: /run/secrets/malipo/{{ $key }}
{{- end }}
{{- end -}}

{{- define "malipo.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "malipo.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "malipo.mounts" -}}
- name: secrets
  mountPath: /run/secrets/malipo
  readOnly: true
- name: temporary
  mountPath: /tmp
- name: state
  mountPath: /var/lib/malipo
{{- end -}}

{{- /* The volumes of each process. A pod gets only the keys that it needs. */ -}}
{{- define "malipo.volumes" -}}
- name: secrets
  projected:
    # Mode 0440: only root and the group of the process can read the files.
    defaultMode: 288
    sources:
      - secret:
          name: {{ required "secret.name is empty: make a Secret with the keys of secret.keys, and set its name" .root.Values.secret.name | quote }}
          items:
            {{- range $name, $key := .root.Values.secret.keys }}
            - key: {{ $key }}
              path: {{ $key }}
            {{- end }}
            {{- range $key := .root.Values.secret.files }}
            - key: {{ $key }}
              path: {{ $key }}
            {{- end }}
      {{- if eq .component "migrate" }}
      - secret:
          name: {{ .root.Values.migration.secretName | default .root.Values.secret.name | quote }}
          items:
            - key: {{ .root.Values.migration.secretKey }}
              path: {{ .root.Values.migration.secretKey }}
      {{- end }}
- name: temporary
  emptyDir: {}
- name: state
  emptyDir: {}
{{- end -}}

{{- define "malipo.scheduling" -}}
{{- if .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml .root.Values.image.pullSecrets | nindent 2 }}
{{- end }}
{{- if .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml .root.Values.nodeSelector | nindent 2 }}
{{- end }}
{{- if .root.Values.tolerations }}
tolerations:
  {{- toYaml .root.Values.tolerations | nindent 2 }}
{{- end }}
{{- if ne .component "migrate" }}
# If the cluster has two nodes, two pods of a component run on different nodes.
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "malipo.selector" . | nindent 14 }}
{{- end }}
{{- end -}}
