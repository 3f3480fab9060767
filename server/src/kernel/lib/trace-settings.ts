// Defines the settings of traces, with the names of OpenTelemetry.

import { number, setting, word } from './setting.ts'

const otlpEndpoint = (value: string): string => {
  if (value === '') return ''
  const parsed = URL.parse(value)
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new Error('must be a URL that starts with http:// or https://, such as http://127.0.0.1:4318')
  if (parsed.username !== '' || parsed.password !== '')
    throw new Error('must hold no user name or password: use OTEL_EXPORTER_OTLP_HEADERS')
  if (parsed.search !== '' || parsed.hash !== '') throw new Error('must hold no query and no fragment')
  let end = value.length
  while (value.charAt(end - 1) === '/') end -= 1
  return value.slice(0, end)
}

const HEADER_NAME = /^[a-z0-9-]{1,64}$/i
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/
const FORM = 'must be pairs name=value, separated by commas, with percent-encoded values'

const otlpHeaders = (value: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const part of value.split(',').filter((one) => one.trim() !== '')) {
    const [name = '', ...rest] = part.split('=')
    const decoded = decode(rest.join('='))
    if (!HEADER_NAME.test(name.trim()) || !HEADER_VALUE.test(decoded)) throw new Error(FORM)
    found.set(name.trim().toLowerCase(), decoded)
  }
  return found
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value.trim())
  } catch {
    throw new Error(FORM)
  }
}

/** The settings of traces, for the table of all settings. */
export const traceSettings = {
  otel_exporter_otlp_endpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    otlpEndpoint,
    'Base URL of an OpenTelemetry receiver for traces (OTLP over HTTP, JSON), such as http://127.0.0.1:4318. The server adds /v1/traces. Empty: no traces.',
  ),
  otel_exporter_otlp_headers: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    '',
    otlpHeaders,
    'Headers for this receiver, such as authorization=Bearer%20TOKEN. Pairs name=value, separated by commas, values percent-encoded.',
    { secret: true },
  ),
  otel_traces_sampler_arg: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    '0.01',
    number(0, 1, 'any'),
    'Share of requests that the server traces, from 0 to 1. A caller cannot raise the share.',
  ),
  otel_service_name: setting('OTEL_SERVICE_NAME', 'malipo', word, 'Name of this installation in traces.'),
} as const
