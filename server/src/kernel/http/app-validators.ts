// Validates requests. One compiler makes the validators of bodies, and another compiler makes those of paths and query strings.

import { Ajv, type ValidateFunction } from 'ajv'
import { isEmailAddress } from '../lib/index.ts'

const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
const TIMESTAMP_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const TIMESTAMP = (text: string) => TIMESTAMP_FORM.test(text) && !Number.isNaN(Date.parse(text))

/**
 * Makes the validator compiler. The compiler converts no value in a body. A path and a query string contain only texts, so the
 * compiler may convert their texts to the types of the schema.
 */
export function createValidators() {
  const options = { allErrors: true, strict: false, useDefaults: true, removeAdditional: false } as const
  const literal = new Ajv({ ...options, coerceTypes: false })
  const fromText = new Ajv({ ...options, coerceTypes: true })
  for (const ajv of [literal, fromText])
    ajv.addFormat('uuid', UUID).addFormat('email', isEmailAddress).addFormat('date-time', TIMESTAMP)
  return ({ schema, httpPart }: { schema: object; httpPart?: string }) => {
    const ajv = httpPart === 'body' ? literal : fromText
    let compiled: ValidateFunction | undefined
    // The compiler compiles a schema with its first request, because compiling all schemas would take a fifth of a second at
    // every start.
    const validate = (data: unknown): boolean => {
      compiled ??= ajv.compile(schema)
      const holds = compiled(data) as boolean
      validate.errors = compiled.errors ?? null
      return holds
    }
    validate.errors = null as NonNullable<ValidateFunction['errors']> | null
    return validate
  }
}
