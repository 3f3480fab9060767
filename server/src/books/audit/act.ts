// Who does something, and through which request: what every act records of itself.

import type { FastifyRequest } from 'fastify'
import { actorOf } from '../../kernel/http/index.ts'
import type { AuditEntry } from './list.ts'

/** The one who acts, the id of the request and the address it came from. */
export type Act = Pick<AuditEntry, 'actor' | 'request_id' | 'address'>

/** The act of a request, whoever proved to be calling. On an operator's route the person acts as operator. */
export function actOf(request: FastifyRequest): Act {
  if (request.principal === null) throw new Error('actOf() on a public route')
  const actor = actorOf(request.principal)
  const as_operator = request.routeOptions.config.access === 'operator'
  return { actor: as_operator ? { ...actor, kind: 'operator' } : actor, request_id: request.id, address: request.ip }
}
