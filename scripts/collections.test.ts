// Tests that the Postman and Bruno collections have every call of the merchants' document once, in the format of each product.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { COLLECTIONS, collectionFiles, type MerchantDocument } from './collections.ts'
import { ROOT } from './generated.ts'

const document = JSON.parse(readFileSync(new URL('openapi.merchant.json', ROOT), 'utf8')) as MerchantDocument
const files = collectionFiles(document)
const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

type PostmanItem = {
  name: string
  request: {
    method: string
    auth?: { type: string }
    header: { key: string; value: string }[]
    url: { raw: string; path: string[]; variable: { key: string }[] }
    body?: { raw: string }
  }
}

test('the Postman collection has each call once, with its variables, its authentication and a body of valid JSON', () => {
  const text = files.get(`${COLLECTIONS}/malipo.postman_collection.json`) ?? ''
  const collection = JSON.parse(text) as {
    info: { schema: string }
    variable: { key: string; value: string }[]
    item: { item: PostmanItem[] }[]
  }
  assert.match(collection.info.schema, /v2\.1\.0/)
  assert.deepEqual(
    collection.variable.map(({ key }) => key),
    ['base_url', 'api_key'],
  )
  assert.equal(collection.variable[1]?.value, '', 'the collection contains no key')
  const items = collection.item.flatMap(({ item }) => item)
  const shown = items.map(({ request: { method, url } }) => `${method} /${url.path.join('/')}`)
  const expected = calls.map(({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
  assert.deepEqual(shown.toSorted(), expected.toSorted())
  for (const { name, request } of items) {
    assert.ok(request.url.raw.startsWith('{{base_url}}/'), name)
    const named = request.url.path.filter((part) => part.startsWith(':')).map((part) => part.slice(1))
    assert.deepEqual(
      request.url.variable.map(({ key }) => key),
      named,
    )
    if (request.body !== undefined) JSON.parse(request.body.raw)
    assert.equal(
      request.auth?.type === 'noauth',
      request.url.path[0] === 'public' || request.url.path[1] === 'destinations',
    )
  }
})

test('the Bruno collection has a file for each call, with closed blocks, an address and its folder', () => {
  for (const { path, method, operation } of calls) {
    const text = files.get(`${COLLECTIONS}/bruno/${operation.tags[0]}/${operation.operationId}.bru`) ?? ''
    assert.ok(files.has(`${COLLECTIONS}/bruno/${operation.tags[0]}/folder.bru`), operation.tags[0])
    assert.match(text, /^meta \{\n {2}name: .+\n {2}type: http\n {2}seq: \d+\n\}\n/)
    assert.ok(text.includes(`${method} {\n  url: {{base_url}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}\n`), text)
    const [opened, ended] = [/^[a-z:]+ \{$/gm, /^\}$/gm].map((pattern) => [...text.matchAll(pattern)].length)
    assert.equal(opened, ended, operation.operationId)
    const needs_once = JSON.stringify(operation.parameters ?? []).includes('IdempotencyKey')
    assert.equal(text.includes('Idempotency-Key: {{$guid}}'), needs_once, operation.operationId)
  }
  assert.match(
    files.get(`${COLLECTIONS}/bruno/environments/Sandbox.bru`) ?? '',
    /base_url: http.*vars:secret \[\n {2}api_key\n\]/s,
  )
})
