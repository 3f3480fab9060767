// Tests that the drawing thread takes most work from the main thread, and that a crash of the thread affects only one document.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawDocument } from './draw.ts'
import { type PosterDocument, posterPdf } from './poster.ts'

const OWNER = { merchant_id: 'duka', environment: 'live' }
const POSTER: PosterDocument = {
  language: 'sw',
  brand_name: 'Malipo',
  merchant_name: 'Duka la Asha',
  logo: null,
  accent_color: null,
  contact: [],
  amount_minor: 2_500_000n,
  currency: 'TZS',
  description: 'Mchele',
  page_url: 'https://lipa.example.co.tz/l/3fk2-9aJd0eQxYb7TzUv1mN5rWc',
  test: false,
  drawn_at: new Date('2026-11-21T15:00:00Z'),
}

const drawn = (more: Partial<PosterDocument> = {}) =>
  drawDocument(OWNER, { kind: 'poster', input: { ...POSTER, ...more } })

test('with the drawing thread, the main thread needs less than a third of the CPU time, and the bytes are the same', async () => {
  const expected = await posterPdf(POSTER)
  const before_direct = process.threadCpuUsage()
  for (let at = 0; at < 12; at++) await posterPdf({ ...POSTER, description: `Mchele ${at}` })
  const direct = process.threadCpuUsage(before_direct)
  assert.ok((await drawn()).equals(expected))
  const before_thread = process.threadCpuUsage()
  await Promise.all(Array.from({ length: 12 }, (_, at) => drawn({ description: `Mchele ${at}` })))
  const with_thread = process.threadCpuUsage(before_thread)
  assert.ok(
    with_thread.user * 3 < direct.user,
    `${with_thread.user} µs in this thread with the drawing thread, ${direct.user} µs without it`,
  )
})

test('the thread draws the next document after an undrawable document and after a document that crashed the thread', async () => {
  const [long, crash, fine] = await Promise.allSettled([
    drawn({ page_url: `https://a.tz/${'a'.repeat(2_400)}` }),
    // The document needs more memory than the limit of the thread.
    drawn({ description: Array.from({ length: 2_000_000 }, (_, at) => ({ at, text: `${at}` })) as never }),
    drawn(),
  ])
  assert.match(
    String((long as PromiseRejectedResult).reason),
    /the drawing thread could not draw the poster.*too long/s,
  )
  assert.match(String((crash as PromiseRejectedResult).reason), /the drawing thread could not draw the poster/)
  assert.equal(fine.status, 'fulfilled')
})
