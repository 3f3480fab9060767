// The types of the HTTP app, apart from the app so that its parts can import them without a circle.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from './access.ts'

/** The HTTP app, typed so that a route knows its schema. */
export type App = FastifyInstance<
  import('node:http').Server,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  import('fastify').FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Adds the routes of one capability. */
export type Routes = (app: App) => void

/** Options of `createApp`. */
export type AppOptions = {
  authenticate: Authenticate
  /** True for a text that is a whole API key: such a text must not be in a URL. */
  isKey(text: string): boolean
  routes: readonly Routes[]
  /** Called for each request right before its answer is sent. It must be quick, and must not throw. */
  onAnswer?(request: FastifyRequest, reply: FastifyReply, payload: unknown): void
  /** Sends a page for a browser path without a route. Null means that the failure envelope answers. */
  notFoundPage?(request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply | null
}
