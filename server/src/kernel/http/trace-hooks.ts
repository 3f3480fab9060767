// Makes the span of each sampled request. The span has the template of the route, never the path, the query or the body.

import type { Tracer } from '../lib/index.ts'
import type { App } from './app-types.ts'

/** The routes of load balancers. Their requests get no span. */
const PROBES = ['/healthz', '/readyz']
const SERVER_FAULT = 500

/** Adds the hooks of traces. If traces are off, adds no hook. */
export function addTraceHooks(app: App, tracer: Tracer): void {
  app.decorateRequest('trace', null)
  if (!tracer.is_on) return
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url
    if (route !== undefined && !PROBES.includes(route)) {
      request.trace = tracer.begin(`${request.method} ${route}`, request.headers.traceparent)
    }
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { trace, caller } = request
    if (trace !== null) {
      trace.set('http.request.method', request.method)
      trace.set('http.route', request.routeOptions.url ?? '')
      trace.set('http.response.status_code', reply.statusCode)
      if (caller !== null) {
        trace.set('malipo.merchant_id', caller.merchant.id)
        trace.set('malipo.environment', caller.environment)
      }
      trace.end(reply.statusCode >= SERVER_FAULT)
    }
    done()
  })
}
