// Compiles the serializers of answers from the schemas of the routes, with the serializer compiler of Fastify.

import { createRequire } from 'node:module'

type Serialize = (data: unknown) => string
type BuildSerializer = (schemas: unknown, options: unknown) => (route: { schema?: unknown }) => Serialize

/**
 * Compiles each serializer with its first answer, because compiling all serializers would take a fifth of a second at every
 * start. If `at_start` is true, as in production, compiles all at the start, so that a bad schema prevents the start.
 */
export function serializers(at_start: boolean): BuildSerializer {
  // The function must use the compiler of the installed Fastify, so this package does not depend on the compiler directly.
  const build: BuildSerializer = createRequire(import.meta.resolve('fastify'))(
    '@fastify/fast-json-stringify-compiler',
  )()
  if (at_start) return build
  return (schemas, options) => {
    const compile = build(schemas, options)
    return (route) => {
      let write: Serialize | undefined
      return (data) => {
        write ??= compile(route)
        return write(data)
      }
    }
  }
}
