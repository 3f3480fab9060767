// Defines the types of the HTTP app in a separate file, so that no file of the app needs a circular import.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from './access.ts'
import type { DescribedEvent } from './openapi-document.ts'

/** The HTTP app with types that give a route the types of its schema. */
export type App = FastifyInstance<
  import('node:http').Server,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  import('fastify').FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** A function that adds the routes of one capability. */
export type Routes = (app: App) => void

/** The parts of the product that the HTTP app needs, such as authentication and routes. */
export type AppOptions = {
  authenticate: Authenticate
  /** Returns true for a text that is a whole API key. Such a text must not be in a URL. */
  isKey(text: string): boolean
  routes: readonly Routes[]
  /** Records the first request of a user with an invited membership. */
  onFirstUse?(merchant_id: string, user_id: string): Promise<void>
  /** The events of the webhooks, for the OpenAPI document. */
  events?: readonly DescribedEvent[]
  /** Returns true after the process has begun to stop. The server then closes each connection after its answer. */
  draining?(): boolean
  /**
   * The server calls this function for each request right before the answer. The function must be quick and must not throw.
   */
  onAnswer?(request: FastifyRequest, reply: FastifyReply, payload: unknown): void
  /** Sends a page for a browser path without a route. Null means that the server answers with the failure envelope. */
  notFoundPage?(request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply | null
}
