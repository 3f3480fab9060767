// Counts the requests of the HTTP app by route and status. The route is the template, so no path of a client becomes a label.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CountSeries, DistributionSeries, Metrics } from '../lib/index.ts'
import { msSinceArrival } from './turns.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
/** The first two parts of a route, such as /v1/collections. Times have this label, so that they need fewer series. */
const PARTS = /^\/[^/]*\/?[^/]*/
const BUCKETS_S = [0.01, 0.025, 0.1, 0.5, 2, 10]

/** Returns the function that counts an answered request. A request without a route has the route `none`. */
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
    help: 'Time from the arrival of a request to the end of its answer in seconds, including its wait. By the first two parts of the route.',
    labels: ['route'],
    series_max: 90,
    buckets: BUCKETS_S,
  })
  const of_routes = new Map<string, RouteSeries>()
  return (request, reply) => {
    const method = METHODS.includes(request.method) ? request.method : 'other'
    const route = request.routeOptions.url ?? 'none'
    let of_route = of_routes.get(route)
    if (of_route === undefined) {
      of_route = { answers: new Map(), times: times(PARTS.exec(route)?.[0] ?? route) }
      of_routes.set(route, of_route)
    }
    const status = reply.statusCode
    const answer = `${method} ${status}`
    let count = of_route.answers.get(answer)
    if (count === undefined) {
      count = requests(method, route, String(status))
      of_route.answers.set(answer, count)
    }
    count.inc()
    of_route.times.observe(msSinceArrival(request, reply) / 1_000)
  }
}

/** The series of one route: a counter for each method and status, such as `POST 202`, and the times. */
type RouteSeries = { answers: Map<string, CountSeries>; times: DistributionSeries }
