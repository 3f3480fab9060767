// Makes the examples of requests and answers from their schemas, so that an example cannot contradict its schema.

import { findRef, isObject, type Json } from './openapi-share.ts'

const ID = '01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f'
const TIME = '2026-01-05T09:00:02.000Z'

/** Example values by the name of the field. The amounts of one example are correct sums. */
const BY_NAME: Record<string, unknown> = {
  amount: '25000.00',
  amount_received: '25000.00',
  available: '1250000.00',
  reserved: '25400.00',
  held: '0.00',
  balance_after: '1250000.00',
  fee: '250.00',
  net_amount: '24750.00',
  net: '24750.00',
  percentage_fee: '250.00',
  flat_fee: '0.00',
  infinity_fee: '250.00',
  processor_charge: '150.00',
  processor_fee_pass_through: true,
  total_charges: '400.00',
  total_reserved_amount: '25400.00',
  recipient_net_amount: '25000.00',
  withdrawal_amount: '25000.00',
  total: '25000.00',
  unit_price: '12500.00',
  quantity: '2',
  currency: 'TZS',
  environment: 'sandbox',
  phone: '0754123001',
  customer_phone: '255754123001',
  customer_name: 'Asha Juma',
  customer_email: 'asha@example.com',
  merchant_name: 'Duka la Mfano',
  merchant_code: 'M2JBTVPA',
  reference: 'ORDER-1042',
  merchant_reference: 'ORDER-1042',
  due_date: '2030-01-31',
  public_slug: '7Q2Jv5mXw9Zr1Tq8Kc3Yb6Nd4Pf0',
  public_url: 'https://pay.example.com/pay/7Q2Jv5mXw9Zr1Tq8Kc3Yb6Nd4Pf0',
  payment_url: 'https://pay.example.com/pay/7Q2Jv5mXw9Zr1Tq8Kc3Yb6Nd4Pf0',
  webhook_url: 'https://shop.example.com/hooks/payments',
  number: 'INV-000123',
  destination_code: 'MPESA',
  destination_name: 'Asha Juma',
  destination_identifier: '255754123001',
  destination_phone: '0754123001',
  page: 1,
  page_size: 20,
  total_items: 1,
  total_pages: 1,
  email: 'asha@example.com',
}

/**
 * Returns an example of a schema: the example of the schema itself, or a value by the name or the type of the field. `all`
 * means that the example has the optional fields too.
 */
export function exampleOf(document: object, schema: unknown, { all = true, name = '' } = {}): unknown {
  if (!isObject(schema)) return null
  const { $ref, ...beside } = schema
  if (typeof $ref === 'string')
    return exampleOf(document, { ...(findRef(document, $ref) as Json), ...beside }, { all, name })
  const given = schema.examples
  if (Array.isArray(given) && given.length > 0) return given[0]
  for (const key of ['const', 'example', 'default']) if (key in schema) return schema[key]
  const options = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (options !== undefined) return exampleOfOptions(document, options, { all, name })
  if (Array.isArray(schema.allOf)) return exampleOfType(document, merged(document, schema), { all, name })
  return exampleOfType(document, schema, { all, name })
}

/** Returns one object schema in place of an `allOf` of object schemas. */
function merged(document: object, schema: Json): Json {
  const { $ref, allOf = [], ...own } = schema
  const target = typeof $ref === 'string' ? [findRef(document, $ref) as Json] : []
  const parts = [...[...target, ...(allOf as Json[])].map((part) => merged(document, part)), own]
  return {
    type: 'object',
    required: parts.flatMap((part) => (part.required ?? []) as string[]),
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
  }
}

type Place = { all: boolean; name: string }

function exampleOfOptions(document: object, options: readonly Json[], place: Place): unknown {
  const rest = options.filter((option) => option.type !== 'null')
  if (rest.length === options.length) return exampleOf(document, rest[0], place)
  return named(document, rest[0], place)
}

/**
 * Returns the example value of the name of a field that may be null. If the name has no fitting value, returns null.
 */
function named(document: object, schema: unknown, place: Place): unknown {
  const value = BY_NAME[place.name]
  const resolved = isObject(schema) && typeof schema.$ref === 'string' ? findRef(document, schema.$ref) : schema
  return value !== undefined && fitsSchema(value, resolved as Json) ? value : null
}

function exampleOfType(document: object, schema: Json, place: Place): unknown {
  const types = [schema.type].flat() as string[]
  if (types.includes('null')) {
    const rest = types.filter((type) => type !== 'null')
    return rest.length === 0 || rest[0] === 'object' ? null : named(document, { ...schema, type: rest[0] }, place)
  }
  const value = BY_NAME[place.name]
  if (value !== undefined && fitsSchema(value, schema)) return value
  if (Array.isArray(schema.enum)) return schema.enum[0]
  switch (types[0]) {
    case 'object':
      return exampleOfObject(document, schema, place)
    case 'array':
      return [exampleOf(document, schema.items, { ...place, name: '' })]
    case 'boolean':
      return false
    case 'integer':
      return schema.minimum ?? 1
    case 'number':
      return BY_NAME[place.name] === undefined ? (schema.minimum ?? 1) : Number(BY_NAME[place.name])
    case 'string':
      return exampleOfText(schema, place.name)
    default:
      return null
  }
}

function exampleOfObject(document: object, schema: Json, { all }: Place): Json {
  const required = (schema.required ?? []) as string[]
  const example: Json = {}
  for (const [name, field] of Object.entries((schema.properties ?? {}) as Json)) {
    const shown = all || required.includes(name) || (isObject(field) && 'examples' in field)
    if (shown) example[name] = exampleOf(document, field, { all, name })
  }
  return example
}

function exampleOfText({ format, maxLength, minLength }: Json, name: string): string {
  if (format === 'uuid' || name.endsWith('_id') || name === 'id') return ID
  if (format === 'date-time' || name.endsWith('_at')) return TIME
  if (format === 'email') return 'asha@example.com'
  if (name.endsWith('_url')) return 'https://shop.example.com/orders/1042'
  const text = name === '' ? 'text' : name.replaceAll('_', ' ')
  const fitted = typeof maxLength === 'number' ? text.slice(0, maxLength) : text
  return typeof minLength === 'number' && fitted.length < minLength ? fitted.padEnd(minLength, 'x') : fitted
}

/** Returns true if a value has the type of a schema and is one of its values. */
function fitsSchema(value: unknown, schema: Json): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  const types = [schema.type].flat()
  const type = typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value
  return types.includes(type)
}
