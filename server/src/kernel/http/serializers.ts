// The writers of answers, made of the schemas of routes by the compiler that fastify itself uses.

import { createRequire } from 'node:module'

type Route = { schema?: unknown }
type Write = (data: unknown) => string
type Build = (schemas: unknown, options: unknown) => (route: Route) => Write

/**
 * Makes each writer with its first answer: all of them take a fifth of a second at every start. In production they are made
 * at the start, which a schema that cannot be written then refuses.
 */
export function serializers(at_start: boolean): Build {
  // No package of ours: it has to be the one that this fastify came with.
  const build: Build = createRequire(import.meta.resolve('fastify'))('@fastify/fast-json-stringify-compiler')()
  if (at_start) return build
  return (schemas, options) => {
    const compile = build(schemas, options)
    return (route) => {
      let write: Write | undefined
      return (data) => {
        write ??= compile(route)
        return write(data)
      }
    }
  }
}
