// Moves repeated parts of the OpenAPI document to its components, and replaces references by the components. The routes keep
// whole schemas, so that the compiled validators and serializers follow no references.

import { LISTED, PORTABLE_PATTERNS } from '../lib/index.ts'

/** A JSON object of the OpenAPI document. */
export type Json = Record<string, unknown>

/** The fields of a schema that may be beside a reference, because each use has its own text. */
const BESIDE = ['description', 'default', 'examples', 'deprecated'] as const
/** The fields whose values are data and not schemas. */
const DATA = new Set(['examples', 'example', 'default', 'enum', 'const'])
const SCHEMAS = '#/components/schemas/'

/**
 * Moves each schema with a `title` to the components, and returns the value with references. If two schemas of one title differ
 * in more than the fields of `BESIDE`, throws.
 */
export function shareSchemas(value: unknown, shared: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((one) => shareSchemas(one, shared))
  if (!isObject(value)) return value
  const schema: Json = {}
  for (const [key, inner] of Object.entries(value)) schema[key] = DATA.has(key) ? inner : shareSchemas(inner, shared)
  if (LISTED in schema) return shareOne({ type: 'string', enum: schema[LISTED] }, String(schema.title), shared)
  const portable = PORTABLE_PATTERNS.get(String(schema.pattern))
  if (portable !== undefined) schema.pattern = portable
  return typeof schema.title === 'string' ? shareOne(schema, schema.title, shared) : schema
}

function shareOne({ title: _, ...schema }: Json, title: string, shared: Map<string, Json>): Json {
  const beside: Json = {}
  for (const key of BESIDE) if (key in schema) beside[key] = schema[key]
  const core = Object.fromEntries(Object.entries(schema).filter(([key]) => !(key in beside)))
  const nullable = Array.isArray(core.type) && core.type.length > 1 && core.type.includes('null')
  if (nullable) dropNull(core)
  const known = shared.get(title)
  if (known === undefined) shared.set(title, core)
  else if (JSON.stringify(known) !== JSON.stringify(core))
    throw new Error(
      `two schemas have the title ${title}: ${JSON.stringify(known)} and ${JSON.stringify(core)}. Give one of them another title`,
    )
  const reference = { $ref: `${SCHEMAS}${title}` }
  return nullable ? { anyOf: [reference, { type: 'null' }], ...beside } : { ...reference, ...beside }
}

function dropNull(core: Json): void {
  const types = (core.type as string[]).filter((type) => type !== 'null')
  core.type = types.length === 1 ? types[0] : types
  if (Array.isArray(core.enum)) core.enum = core.enum.filter((one) => one !== null)
}

/** If all uses of a component have one description, moves the description to the component. */
export function shareDescriptions(document: unknown, shared: ReadonlyMap<string, Json>): void {
  const uses = new Map<string, Json[]>()
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) collect(one)
    if (!isObject(value)) return
    const name = componentOf(value)
    if (name !== null) uses.set(name, [...(uses.get(name) ?? []), value])
    for (const inner of Object.values(value)) collect(inner)
  }
  collect([document, [...shared.values()]])
  for (const [name, found] of uses) {
    const texts = new Set(found.map((use) => use.description))
    const [text] = texts
    const component = shared.get(name)
    if (texts.size !== 1 || text === undefined || component === undefined) continue
    component.description = text
    for (const use of found) delete use.description
  }
}

/** Returns the component that a schema refers to. Null means that the schema is no reference. */
function componentOf(schema: Json): string | null {
  const inner = Array.isArray(schema.anyOf) && schema.anyOf.length === 2 ? (schema.anyOf[0] as Json) : schema
  return typeof inner?.$ref === 'string' && inner.$ref.startsWith(SCHEMAS) ? inner.$ref.slice(SCHEMAS.length) : null
}

/** The smallest number of common properties for a reference from one component to another. */
const COMMON_MIN = 4

/**
 * If a component has all properties of a smaller component with at least COMMON_MIN properties, replaces these properties by a
 * reference to the smaller component.
 */
export function shareProperties(shared: Map<string, Json>): void {
  const objects = [...shared].flatMap(([name, { properties, required }]) =>
    isObject(properties) ? [{ name, properties, required: (required ?? []) as string[] }] : [],
  )
  objects.sort((a, b) => Object.keys(b.properties).length - Object.keys(a.properties).length)
  for (const [i, whole] of objects.entries()) {
    const base = objects.slice(i + 1).find((part) => contains(whole, part))
    if (base === undefined) continue
    const own = Object.entries(whole.properties).filter(([key]) => !(key in base.properties))
    const required = whole.required.filter((key) => !base.required.includes(key))
    const { properties: _, required: __, ...rest } = shared.get(whole.name) as Json
    shared.set(whole.name, {
      ...rest,
      allOf: [{ $ref: `${SCHEMAS}${base.name}` }],
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(own),
    })
  }
}

type ObjectShape = { properties: Json; required: readonly string[] }

function contains(whole: ObjectShape, part: ObjectShape): boolean {
  const names = Object.keys(part.properties)
  if (names.length < COMMON_MIN || names.length === Object.keys(whole.properties).length) return false
  const same = (name: string) => JSON.stringify(whole.properties[name]) === JSON.stringify(part.properties[name])
  return names.every(same) && part.required.every((name) => whole.required.includes(name))
}

/** If a parameter occurs this often, it becomes a component. */
const USES_MIN = 2

/**
 * Moves equal parameters of several calls to the components. The most frequent parameter of a name gets the name, and the next
 * gets the prefix Required or Optional. All other parameters stay in place.
 */
export function shareParameters(operations: readonly Json[]): Json {
  const counts = new Map<string, number>()
  const all = operations.flatMap((operation) => (operation.parameters ?? []) as Json[])
  for (const parameter of all) {
    const text = JSON.stringify(parameter)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const names = new Map<string, string>()
  for (const [text, count] of [...counts].sort((a, b) => b[1] - a[1])) {
    const { name, required } = JSON.parse(text) as { name: string; required?: boolean }
    const plain = pascal(name)
    const free = [plain, required === true ? `Required${plain}` : `Optional${plain}`].find(
      (one) => ![...names.values()].includes(one),
    )
    if (count >= USES_MIN && free !== undefined) names.set(text, free)
  }
  for (const operation of operations) {
    if (operation.parameters === undefined) continue
    operation.parameters = (operation.parameters as Json[]).map((parameter) => {
      const name = names.get(JSON.stringify(parameter))
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` }
    })
  }
  const entries = [...names].map(([text, name]) => [name, JSON.parse(text) as Json] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns a name such as `page_size` or `invalid_state` in the form `PageSize`. */
export function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
}

/**
 * Returns a document with the component in place of each reference, for readers that follow no references. A text beside a
 * reference replaces the text of the component.
 */
export function inlineRefs(document: object): Json {
  const inline = (value: unknown, above: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => inline(one, above))
    if (!isObject(value)) return value
    const { $ref, ...beside } = value
    if (typeof $ref !== 'string') return mapValues(value, (inner) => inline(inner, above))
    // A component that contains itself stays a reference.
    if (above.includes($ref)) return value
    const target = inline(findRef(document, $ref), [...above, $ref])
    return { ...(target as Json), ...mapValues(beside, (inner) => inline(inner, above)) }
  }
  return mergeParts(inline(document, [])) as Json
}

/** Merges the object schemas of each `allOf` into one object schema. */
function mergeParts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mergeParts)
  if (!isObject(value)) return value
  const merged = mapValues(value, mergeParts)
  if (!Array.isArray(merged.allOf)) return merged
  const { allOf, ...own } = merged
  const parts = [...(allOf as Json[]), own]
  return {
    ...Object.assign({}, ...parts),
    required: [...new Set(parts.flatMap((part) => (part.required ?? []) as string[]))],
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
  }
}

/** Returns the part of a document that a local reference names. */
export function findRef(document: object, reference: string): unknown {
  const found = reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((place, key) => (place as Json | undefined)?.[key], document)
  if (found === undefined) throw new Error(`the OpenAPI document has no ${reference}: correct the reference`)
  return found
}

function mapValues(value: Json, change: (inner: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]))
}

/** Returns true for a JSON object, and false for an array and null. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
