// Defines the routes for the list and the stream of events.

import type { FastifyRequest } from 'fastify'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import { type App, type Authenticate, caller } from '../../kernel/http/index.ts'
import { access, createRecheck } from './changes.ts'
import { EVENT_DAYS, eventIdIn, filteredEvent, listEvents } from './event-log.ts'
import { createEventStreams, STREAMS_PER_CALLER, STREAMS_PER_MERCHANT } from './event-stream.ts'
import { EventStreamAnswer, EventStreamQuery, EventsAnswer, EventsQuery } from './schema.ts'

const tags = ['Webhooks']

/**
 * Dependencies of the event routes. `authenticate` checks the caller of an open stream again. `draining` returns true while the
 * process stops.
 */
export type EventRoutesOptions = { authenticate: Authenticate; draining: () => boolean }

/** Adds the routes for events. When the app closes, the server ends all streams. */
export function eventRoutes(deps: Deps, app: App, { authenticate, draining }: EventRoutesOptions): void {
  const streams = createEventStreams(deps, draining)
  const recheck = createRecheck(authenticate)
  app.addHook('preClose', async () => streams.close())
  app.get(
    '/v1/events',
    {
      config: { access },
      schema: {
        tags,
        operationId: 'listEvents',
        summary: 'List events, newest first',
        description: `All events of the last ${EVENT_DAYS} days, whether an endpoint receives them or not. \`total_items\` counts up to 10,000.`,
        querystring: EventsQuery,
        response: { 200: EventsAnswer },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const of = { merchant_id: merchant.id, environment }
      return { success: true as const, data: await listEvents(forReads(deps), of, request.query) }
    },
  )
  app.get(
    '/v1/events/stream',
    {
      // Without this option, a HEAD request would open a stream.
      exposeHeadRoute: false,
      config: { access, refusals: ['service_unavailable', 'rate_limited'] },
      schema: {
        tags,
        operationId: 'streamEvents',
        summary: 'Receive events as they happen',
        description: `Server-sent events: \`id\` is the id of the event, and \`data\` is the event as the list shows it. The header \`Last-Event-ID\` or the parameter \`after\` continues after an event; the server then repeats the events of the 30 seconds before that event. Receivers recognise an event by its id. A key can have ${STREAMS_PER_CALLER} open streams, and a merchant ${STREAMS_PER_MERCHANT}.`,
        querystring: EventStreamQuery,
        response: { 200: EventStreamAnswer },
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const header = request.headers['last-event-id']
      const given = typeof header === 'string' && header !== '' ? header : request.query.after
      const of = {
        caller_id: callerId(request),
        merchant_id: merchant.id,
        environment,
        event: filteredEvent(request.query),
        after: given === undefined ? null : eventIdIn(header === given ? 'Last-Event-ID' : 'after', given),
      }
      await streams.open(reply, of, () => recheck(request))
    },
  )
}

function callerId({ principal }: FastifyRequest): string {
  if (principal === null) return ''
  return principal.kind === 'api_key' ? principal.key_id : principal.user_id
}
