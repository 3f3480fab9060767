// Counts the requests of the HTTP app by route and status. The route is the template, so no path of a caller becomes a label.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../lib/index.ts'
import { msSinceArrival } from './turns.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
/** The first two parts of a route, such as /v1/collections: with fewer series, each route keeps its times. */
const PARTS = /^\/[^/]*\/?[^/]*/
const BUCKETS_S = [0.01, 0.025, 0.1, 0.5, 2, 10]

/** Returns the function that counts an answered request. Requests without a route have the route `none`. */
export function requestMetrics(metrics: Metrics): (request: FastifyRequest, reply: FastifyReply) => void {
  const requests = metrics.counter({
    name: 'malipo_http_requests_total',
    help: 'Answered requests of this process, by method, route and status. Requests without a route have the route none.',
    labels: ['method', 'route', 'status'],
    series_max: 700,
    keeps: ['status'],
  })
  const times = metrics.histogram({
    name: 'malipo_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer in seconds, with its wait for a turn, by the first two parts of the route.',
    labels: ['route'],
    series_max: 90,
    buckets: BUCKETS_S,
  })
  return (request, reply) => {
    const method = METHODS.includes(request.method) ? request.method : 'other'
    const route = request.routeOptions.url ?? 'none'
    requests(method, route, String(reply.statusCode)).inc()
    times(PARTS.exec(route)?.[0] ?? route).observe(msSinceArrival(request, reply) / 1_000)
  }
}
